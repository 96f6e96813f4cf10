// Reads the kernels' signatures out of a source, because the compiler does not tell how arguments are bound.
#include <cctype>
#include <set>
#include <stdexcept>

#include "program.h"

namespace softmetal {

// Names of msl_builtins.h.
static const std::set<std::string> BUILTINS = {
    "thread_position_in_grid", "threadgroup_position_in_grid", "thread_index_in_threadgroup", "thread_index_in_simdgroup",
    "simdgroup_index_in_threadgroup"};

static std::vector<std::string> tokensOf(const std::string& text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    if (isspace(text[i])) {
      i++;
    } else if (isalnum(text[i]) || text[i] == '_') {
      size_t end = i;
      while (end < text.size() && (isalnum(text[end]) || text[end] == '_')) end++;
      tokens.push_back(text.substr(i, end - i));
      i = end;
    } else if (text.compare(i, 2, "[[") == 0 || text.compare(i, 2, "]]") == 0) {
      tokens.push_back(text.substr(i, 2));
      i += 2;
    } else {
      tokens.push_back(text.substr(i++, 1));
    }
  }
  return tokens;
}

static std::string join(const std::vector<std::string>& tokens, size_t from, size_t to) {
  std::string text;
  for (size_t i = from; i < to; i++) text += (i > from ? " " : "") + tokens[i];
  return text;
}

[[noreturn]] static void refuse(const std::string& kernel, const std::string& what) {
  throw std::runtime_error("program_source: error: kernel " + kernel + ": " + what);
}

// One parameter: type, name, [[attribute]].
static Parameter parameterOf(const Kernel& kernel, const std::vector<std::string>& tokens) {
  Parameter p{};
  size_t attribute = 0;
  while (attribute < tokens.size() && tokens[attribute] != "[[") attribute++;
  if (attribute == tokens.size()) refuse(kernel.name, "parameter '" + join(tokens, 0, attribute) + "' has no attribute");
  if (attribute < 2) refuse(kernel.name, "a parameter has no type or no name");
  p.name = tokens[attribute - 1];
  p.attribute = tokens[attribute + 1];
  size_t typeEnd = attribute - 1;
  std::string last = tokens[typeEnd - 1];
  if (p.attribute == "buffer" || p.attribute == "threadgroup") {
    p.kind = p.attribute == "buffer" ? Parameter::Buffer : Parameter::Threadgroup;
    if (attribute + 3 >= tokens.size() || !isdigit(tokens[attribute + 3][0])) {
      refuse(kernel.name, "parameter '" + p.name + "': the index must be a number");
    }
    p.index = std::stoi(tokens[attribute + 3]);
    if (p.index >= BINDINGS) refuse(kernel.name, "parameter '" + p.name + "': an index above 30");
    for (const Parameter& other : kernel.parameters) {
      if (other.kind == p.kind && other.index == p.index) {
        refuse(kernel.name, "'" + other.name + "' and '" + p.name + "' have the same index");
      }
    }
    if (last != "*" && last != "&") refuse(kernel.name, "parameter '" + p.name + "' is neither a pointer nor a reference");
    p.reference = last == "&";
    typeEnd--;
    for (size_t i = 0; i < typeEnd; i++) p.readOnly |= tokens[i] == "const" || tokens[i] == "constant";
  } else if (BUILTINS.count(p.attribute)) {
    p.kind = Parameter::Builtin;
  } else {
    refuse(kernel.name, "attribute [[" + p.attribute + "]] of '" + p.name + "' is not known");
  }
  p.type = join(tokens, 0, typeEnd);
  return p;
}

std::map<std::string, Kernel> kernelsOf(const std::string& source) {
  std::map<std::string, Kernel> kernels;
  std::vector<std::string> tokens = tokensOf(source);
  u64 maxThreads = MAX_THREADS;
  for (size_t i = 0; i < tokens.size(); i++) {
    if (tokens[i] == "max_total_threads_per_threadgroup" && i + 2 < tokens.size()) maxThreads = std::stoul(tokens[i + 2]);
    if (tokens[i] == "host_name") throw std::runtime_error("program_source: error: [[host_name]] is not supported by the software Metal");
    if (tokens[i] == "function_constant") throw std::runtime_error("program_source: error: [[function_constant]] is not supported by the software Metal");
    if (tokens[i] != "kernel") continue;
    size_t at = i + 1;
    while (at < tokens.size() && tokens[at] != "void") {
      if (tokens[at] == "max_total_threads_per_threadgroup" && at + 2 < tokens.size()) maxThreads = std::stoul(tokens[at + 2]);
      at++;
    }
    if (at + 2 >= tokens.size() || tokens[at + 2] != "(") throw std::runtime_error("program_source: error: 'kernel' without 'void name('");
    Kernel kernel;
    kernel.name = tokens[at + 1];
    kernel.maxThreads = maxThreads;
    maxThreads = MAX_THREADS;
    int depth = 1;
    std::vector<std::string> parameter;
    for (at += 3; at < tokens.size() && depth > 0; at++) {
      const std::string& token = tokens[at];
      if (token == "(" || token == "<" || token == "[[") depth++;
      if (token == ")" || token == ">" || token == "]]") depth--;
      if (depth == 0 || (token == "," && depth == 1)) {
        if (!parameter.empty()) kernel.parameters.push_back(parameterOf(kernel, parameter));
        parameter.clear();
      } else {
        parameter.push_back(token);
      }
    }
    kernels[kernel.name] = kernel;
    i = at - 1;
  }
  return kernels;
}

std::string wrappersOf(const std::map<std::string, Kernel>& kernels) {
  std::string out;
  for (auto& [name, kernel] : kernels) {
    std::string arguments, sizes;
    for (size_t i = 0; i < kernel.parameters.size(); i++) {
      const Parameter& p = kernel.parameters[i];
      std::string slot = "msl_a[" + std::to_string(i) + "]";
      if (i) arguments += ", ";
      if (p.kind == Parameter::Builtin) {
        arguments += "msl_" + p.attribute + "<" + p.type + ">(msl_t)";
        sizes += "0, 1, ";
      } else {
        arguments += p.reference ? "*(" + p.type + "*)(" + slot + ")" : "(" + p.type + "*)(" + slot + ")";
        sizes += "sizeof(" + p.type + "), alignof(" + p.type + "), ";
      }
    }
    out += "extern \"C\" MSL_UNCHECKED void msl_run_" + name + "(const device msl_thread* msl_t, const device ulong* msl_a) { " +
           name + "(" + arguments + "); }\n";
    out += "extern \"C\" MSL_UNCHECKED void msl_sizes_" + name + "(device uint* msl_out) { uint msl_sizes[] = {" + sizes +
           "0}; for (uint i = 0; i < sizeof(msl_sizes) / 4; i++) msl_out[i] = msl_sizes[i]; }\n";
  }
  return out;
}

}  // namespace softmetal
