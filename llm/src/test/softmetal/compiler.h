// From .metal text to a shared object, by way of clang.
#pragma once
#include <string>

namespace softmetal {

struct Source {
  std::string text;      // as the caller gave it
  std::string wrappers;  // appended
  bool fastMath;
  bool checked;          // every access to memory calls the library first
};

// The path of the shared object, which may be there from an earlier run. Throws std::runtime_error with clang's messages.
std::string compileToSharedObject(const Source& source);
// Reads clang's dump of a syntax tree for what MSL forbids and C++ for OpenCL allows; messages, or "".
std::string wrongAddressSpaces(const std::string& dump);

// The source with its macros expanded and its conditions decided: what its signatures are read from.
std::string preprocess(const std::string& text);
std::string runCommand(const std::string& command, int& status);

}  // namespace softmetal
