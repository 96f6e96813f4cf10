// A compiled .metal source: its kernels, what they ask for, and machine code with and without checks.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "settings.h"

struct msl_thread;

namespace softmetal {

struct Parameter {
  enum Kind { Buffer, Threadgroup, Builtin } kind;
  std::string type, name, attribute;
  int index = -1;          // of [[buffer(n)]] or [[threadgroup(n)]]
  bool reference = false;  // T&: exactly one T
  bool readOnly = false;   // device const T*, constant T&
  u32 size = 0, align = 1; // of T, in bytes
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  u64 maxThreads = MAX_THREADS;   // [[max_total_threads_per_threadgroup(n)]]
  u64 threadgroupBytes = 0;       // of the arrays declared in the kernel
};

// The kernels that a preprocessed source declares, by name. Throws std::runtime_error with a compiler-like message.
std::map<std::string, Kernel> kernelsOf(const std::string& source);
// What is appended to the source: per kernel a function that unpacks its arguments, and one that tells their sizes.
std::string wrappersOf(const std::map<std::string, Kernel>& kernels);

// Machine code of one kernel. Threadgroup arrays are globals of the shared object.
struct Code {
  struct Array { char* address; u64 bytes; std::string name; };
  void (*run)(const msl_thread* thread, const u64* arguments) = nullptr;
  std::vector<Array> arrays;
  const char* constants = nullptr;  // read-only memory of the shared object
  u64 constantBytes = 0;
};

class Program {
 public:
  // Compiles; throws std::runtime_error with the compiler's messages.
  Program(std::string source, bool fastMath);
  ~Program();
  const Kernel* kernel(const std::string& name) const;
  const Code& code(const Kernel& kernel, bool checked);
  std::string lineOf(const void* address);  // "program_source:12", or "" if unknown

 private:
  struct Image {
    void* handle = nullptr;
    std::map<std::string, Code> codes;
  };
  Image& image(bool checked);

  std::mutex lock;
  const std::string source;
  const bool fastMath;
  std::map<std::string, Kernel> kernels;
  Image images[2];  // without checks, and with them
};

}  // namespace softmetal
