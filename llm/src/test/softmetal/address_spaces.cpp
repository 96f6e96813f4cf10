// Finds what MSL forbids and C++ for OpenCL allows: pointers and references that name no address space, which OpenCL makes
// "generic", and variables outside of functions that are not constant.
#include <sstream>

#include "compiler.h"

namespace softmetal {

// The place in the source that the walk through the dump has come to. The dump names a file or a line only where it changes.
struct Place {
  bool inSource = false;
  std::string line = "1";

  void follow(const std::string& range) {
    if (range.find(".h:") != std::string::npos || range.find("<built-in>") != std::string::npos ||
        range.find("softmetal-wrappers") != std::string::npos) {
      inSource = false;
    }
    for (size_t at = 0; (at = range.find(':', at)) != std::string::npos; at++) {
      bool file = at >= 14 && range.compare(at - 14, 14, "program_source") == 0;
      bool lineOnly = at >= 4 && range.compare(at - 4, 4, "line") == 0;
      if (!file && !lineOnly) continue;
      if (file) inSource = true;
      line = range.substr(at + 1, range.find_first_not_of("0123456789", at + 1) - at - 1);
    }
  }
};

static bool startsWith(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

static bool namesSpace(const std::string& type) {
  for (const char* space : {"__global", "__local", "__constant", "__private"}) {
    if (type.find(space) != std::string::npos) return true;
  }
  return false;
}

std::string wrongAddressSpaces(const std::string& dump) {
  std::string messages, text;
  Place place;
  std::istringstream lines(dump);
  while (std::getline(lines, text)) {
    size_t depth = text.find_first_not_of("|`- ");
    if (depth == std::string::npos) continue;
    std::string node = text.substr(depth);
    size_t quote = node.find('\'');
    place.follow(node.substr(0, quote));
    if (!place.inSource || quote == std::string::npos) continue;

    std::string type = node.substr(quote + 1, node.find('\'', quote + 1) - quote - 1);
    size_t end = quote > 0 ? quote - 1 : 0, begin = node.rfind(' ', end > 0 ? end - 1 : 0) + 1;
    std::string name = node.substr(begin, end - begin);
    bool implicit = node.find(" implicit ") < quote;
    bool variable = startsWith(node, "VarDecl ") || startsWith(node, "ParmVarDecl ") || startsWith(node, "FieldDecl ") ||
                    startsWith(node, "TypedefDecl ") || startsWith(node, "TypeAliasDecl ");
    bool named = !name.empty() && name.find_first_of("<>:") == std::string::npos;
    bool cast = startsWith(node, "CStyleCastExpr ") || startsWith(node, "CXXStaticCastExpr ") ||
                startsWith(node, "CXXReinterpretCastExpr ") || startsWith(node, "CXXFunctionalCastExpr ");
    bool function = startsWith(node, "FunctionDecl ") || startsWith(node, "CXXMethodDecl ");
    std::string what;
    if (implicit) continue;
    size_t star = type.find_first_of("*&");
    if ((variable && named && star != std::string::npos && !namesSpace(type.substr(0, star))) ||
        ((function || (variable && named)) && type.find("__generic") != std::string::npos && type.find("__generic") < type.find(") __generic"))) {
      what = "pointer or reference type of '" + name + "' has no address space (device, constant, threadgroup or thread)";
    } else if (cast && type.find("__generic") != std::string::npos) {
      what = "pointer type of a cast has no address space (device, constant, threadgroup or thread)";
    } else if (startsWith(node, "VarDecl ") && type.find("__constant") == std::string::npos &&
               (depth == 2 || node.find("' static") != std::string::npos)) {
      what = "variable '" + name + "' outside of functions, or static, must be in the constant address space";
    }
    if (!what.empty()) messages += "program_source:" + place.line + ": error: " + what + "\n";
  }
  return messages;
}

}  // namespace softmetal
