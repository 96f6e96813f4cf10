// The objects of Foundation and Metal that a shim can hold.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory.h"
#include "objects.h"
#include "program.h"

// A class of the runtime for a type of ours.
#define METAL_CLASS(name)                                     \
  static Class* type() {                                      \
    static Class* const made = newClass(name);                \
    return made;                                              \
  }

namespace softmetal {

struct Size { u64 width, height, depth; };  // MTLSize

struct String : Object { METAL_CLASS("NSString") std::string text; };
struct Error : Object { METAL_CLASS("NSError") std::string text; };
struct CompileOptions : Object { METAL_CLASS("MTLCompileOptions") bool fastMath = true; u64 languageVersion = 0; };

struct Device : Object { METAL_CLASS("MTLDevice") };
struct Library : Object { METAL_CLASS("MTLLibrary") std::shared_ptr<Program> program; };
struct Function : Object { METAL_CLASS("MTLFunction") std::shared_ptr<Program> program; const Kernel* kernel = nullptr; };
struct Pipeline : Object {
  METAL_CLASS("MTLComputePipelineState")
  std::shared_ptr<Program> program;
  const Kernel* kernel = nullptr;
  u64 maxThreads = MAX_THREADS;
};
struct Buffer : Object {
  METAL_CLASS("MTLBuffer")
  char* contents = nullptr;
  u64 bytes = 0;
  char* mapping = nullptr;        // ours, with a page that cannot be touched on each side; null: the caller's memory
  u64 mappingBytes = 0;
  std::unique_ptr<Shadow> shadow; // who touched what; made when a checked kernel first writes here
  ~Buffer() override;
};
struct Queue : Object {
  METAL_CLASS("MTLCommandQueue")
  std::atomic<int> open{0};         // command buffers that are not finished
};

struct Binding {
  enum { None, Of, Bytes } kind = None;
  Buffer* buffer = nullptr;
  u64 offset = 0;
  std::vector<char> bytes;
};
// One recorded step of a command buffer: a dispatch or a barrier.
struct Command {
  enum { Dispatch, Barrier } kind = Dispatch;
  Pipeline* pipeline = nullptr;
  std::array<Binding, BINDINGS> bindings;
  std::array<u64, BINDINGS> threadgroupBytes{};
  Size grid{}, group{};            // threadgroups in the grid; threads in a threadgroup
};

enum Status { NotEnqueued, Enqueued, Committed, Scheduled, Completed, Failed };

// What a buffer held when a command buffer was committed, and which bytes the CPU has changed since.
struct Snapshot {
  std::vector<char> held;
  std::vector<std::pair<u64, u64>> changed;  // [from, to)
};

struct CommandBuffer : Object {
  METAL_CLASS("MTLCommandBuffer")
  Queue* queue = nullptr;
  std::vector<Command> commands;
  std::set<Buffer*> used;
  std::set<Pipeline*> pipelines;
  std::map<Buffer*, Snapshot> snapshots;
  Status status = NotEnqueued;
  bool encoding = false, awaited = false;
  bool finished = false;           // completed, and the queue has let it go
  std::string error;
  double committed = 0;            // when, in seconds
  void dropReferences();
  ~CommandBuffer() override;
};
struct Encoder : Object {
  METAL_CLASS("MTLComputeCommandEncoder")
  CommandBuffer* buffer = nullptr;
  std::unique_ptr<Command> next = std::make_unique<Command>();  // what the next dispatch would be
  bool ended = false, concurrent = false;
  ~Encoder() override;
};

// Zeros, with a page that cannot be touched on each side; null if there is no memory.
Buffer* makeBuffer(u64 bytes);
// What is wrong with a dispatch; "" if nothing.
std::string refusal(const Command& command);
String* newString(std::string text);
Error* newError(std::string text);

// Fill the classes with their methods; defineClasses does it once for all.
void defineFoundation();
void defineDevice();
void defineCommands();
void defineClasses();

// What happens to command buffers: queue.cpp.
void open(CommandBuffer* buffer);
void commit(CommandBuffer* buffer);
void waitUntilCompleted(CommandBuffer* buffer);
Status statusOf(CommandBuffer* buffer);
void close(CommandBuffer* buffer);

}  // namespace softmetal
