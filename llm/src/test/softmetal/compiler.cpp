// Compiles in three stages: clang to IR, as C++ for OpenCL; the IR made fit for a CPU; IR to a shared object.
#include "compiler.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "settings.h"

namespace softmetal {

static const char* CLANG = "clang++-19";

std::string runCommand(const std::string& command, int& status) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start: " + command);
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) output.append(part, n);
  status = pclose(pipe);
  return output;
}

static std::string home() {  // where this library is, with include/ beside it
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&home), &info);
  std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

static std::string kernelFolder() { return home() + "/kernels"; }

static std::string self() {
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&home), &info);
  return info.dli_fname;
}

static void replaceAll(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) text.replace(at, what.size(), with);
}

// For the shell.
static std::string quoted(std::string text) {
  replaceAll(text, "'", "'\\''");
  return "'" + text + "'";
}

static std::string hashed(const std::string& text) {
  u64 a = 0xcbf29ce484222325ull, b = 0x9e3779b97f4a7c15ull;
  for (unsigned char c : text) {
    a = (a ^ c) * 0x100000001b3ull;
    b = ((b + c) * 0xd6e8feb86659fd93ull) ^ (b >> 29);
  }
  return format("%016lx%016lx", a, b);
}

static std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

static std::string frontEnd() {
  return std::string(CLANG) +
         " -x clcpp -cl-std=clc++2021 -cl-no-stdinc -Xclang -cl-ext=+cl_khr_fp16 --target=x86_64-unknown-linux-gnu"
         " -march=native -fPIC -Wframe-larger-than=32768 -Wno-unknown-attributes -Wno-ignored-attributes -fno-color-diagnostics -I" +
         quoted(home() + "/include") + " -include msl.h ";
}

// Drops what belongs to a GPU. Threadgroup arrays must be visible from outside, else the optimiser takes them for memory of
// one thread, and forwards stores across barriers. Marks functions for the instrumentation of accesses.
static std::string fitForCpu(std::string ir, bool checked) {
  replaceAll(ir, "define hidden ", "define ");
  replaceAll(ir, " = hidden global ", " = global ");
  replaceAll(ir, "spir_kernel ", "");
  replaceAll(ir, "spir_func ", "");
  std::istringstream lines(ir);
  std::string line, out;
  const std::string internal = " = internal global ", attributes = "attributes #";
  while (std::getline(lines, line)) {
    size_t at = line[0] == '@' ? line.find(internal) : std::string::npos;
    if (at != std::string::npos) line.replace(at, internal.size(), " = global ");
    if (checked && line.compare(0, attributes.size(), attributes) == 0 &&
        line.find("disable_sanitizer_instrumentation") == std::string::npos) {
      line.insert(line.find("{ ") + 2, "sanitize_thread ");
    }
    out += line + "\n";
  }
  return out;
}

[[noreturn]] static void fail(const std::string& stage, const std::string& messages) {
  throw std::runtime_error(stage.empty() ? messages : stage + ": " + messages);
}

// Files of one compilation beside the results; gone when it ends.
class Scratch {
 public:
  Scratch() {
    static std::atomic<int> sequence{0};
    mkdir(kernelFolder().c_str(), 0777);
    base = kernelFolder() + format("/%d-%d", getpid(), sequence++);
  }
  ~Scratch() {
    for (const char* end : {".metal", ".ll", ".so"}) unlink(file(end).c_str());
  }
  std::string file(const char* end) const { return base + end; }

 private:
  std::string base;
};

std::string preprocess(const std::string& text) {
  std::string result = kernelFolder() + "/" + hashed(text) + ".pre";
  if (access(result.c_str(), R_OK) == 0) return read(result);

  Scratch scratch;
  std::string metal = scratch.file(".metal");
  std::ofstream(metal) << "#line 1 \"program_source\"\n" << text;
  int status;
  std::string output = runCommand(std::string(CLANG) + " -E -P -x c++ -nostdinc -fno-color-diagnostics -D__METAL_VERSION__=310 -I" +
                                      quoted(home() + "/include") + " " + quoted(metal), status);
  if (status) throw std::runtime_error(output);
  std::string preprocessed = scratch.file(".pre");
  std::ofstream(preprocessed, std::ios::binary) << output;
  rename(preprocessed.c_str(), result.c_str());
  return output;
}

std::string compileToSharedObject(const Source& source) {
  std::string flags = format("%d %d ", source.fastMath, source.checked);
  std::string result = kernelFolder() + "/" + hashed(flags + source.text + source.wrappers) + ".so";
  if (access(result.c_str(), R_OK) == 0) return result;

  Scratch scratch;
  std::string metal = scratch.file(".metal"), ir = scratch.file(".ll"), object = scratch.file(".so");
  std::ofstream(metal) << "#line 1 \"program_source\"\n" << source.text << "\n#line 1 \"softmetal-wrappers\"\n" << source.wrappers;
  std::string front = frontEnd();
  // Infinities stay what they are: kernels use them as the start of a maximum, on Apple's compiler too.
  if (source.fastMath) front += "-ffast-math -fno-finite-math-only ";
  std::string sanitize = source.checked
      ? "-fsanitize=alignment,array-bounds,integer-divide-by-zero,shift -fsanitize-minimal-runtime -fsanitize-recover=all " : "";
  int status;
  std::string messages = runCommand(front + sanitize + "-gline-tables-only -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o " +
                                        quoted(ir) + " " + quoted(metal), status);
  if (status) fail("", messages);
  std::string dump = runCommand(front + "-w -fsyntax-only -Xclang -ast-dump " + quoted(metal), status);
  std::string wrong = wrongAddressSpaces(dump);
  if (!wrong.empty()) fail("", wrong);

  std::string fit = fitForCpu(read(ir), source.checked);
  std::ofstream(ir) << fit;
  // The checks see accesses of up to 16 bytes: hence no vectorisation where they are on.
  std::string instrument = source.checked
      ? "-fsanitize=thread -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-atomics=0 -mllvm -tsan-instrument-read-before-write=1 -fno-vectorize -fno-slp-vectorize " : "";
  messages = runCommand(std::string(CLANG) + " -x ir -O2 -march=native -fPIC -shared -fuse-ld=lld -Wl,-Bsymbolic -Wno-override-module "
                            "-Werror=frame-larger-than -fno-math-errno -ffp-contract=fast " + instrument + "-nostdlib -Wl,--hash-style=sysv -o " + quoted(object) + " " + quoted(ir) +
                            " -x none -Wl,--no-as-needed " + quoted(self()) + " -lm -lc", status);
  if (status) fail("back end", messages);
  rename(object.c_str(), result.c_str());
  return result;
}

}  // namespace softmetal
