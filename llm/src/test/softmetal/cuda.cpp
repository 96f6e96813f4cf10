// Stands in for libcuda.so.1: the driver's functions that the product calls, over the same machine that runs Metal's kernels. PTX is
// not run: its first lines say of which .metal files and #defines it was made, and those are compiled. Calls that the real driver
// refuses are refused, and noted as findings; streams run when somebody waits, so that what is read too early is stale.
#include <dlfcn.h>

#include <cstring>
#include <fstream>
#include <list>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "classes.h"

using namespace softmetal;

namespace {

enum Result { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_PTX = 218, INVALID_CONTEXT = 201,
              INVALID_HANDLE = 400, UNSUPPORTED_PTX_VERSION = 222, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, UNKNOWN = 999 };

struct Op {                 // a copy, a fill, a launch, or an event
  enum { Copy, Fill, Launch, Event } kind;
  u64 to = 0, from = 0, bytes = 0;
  std::vector<char> staged; // what pageable memory held
  Command command;
};
struct Event { bool pending = false; };
struct Module { std::shared_ptr<Program> program; std::string text; std::list<Pipeline*> pipelines; };
struct Graph { std::vector<Op> ops; };

struct Driver {
  int init = SUCCESS, version = 13000, capability = 90;
  u64 memory = 1ull << 34, used = 0, failing = 0, launches = 0, graphLaunches = 0;
  int failed = SUCCESS;     // sticky, as a lost context is
  std::map<u64, Buffer*> buffers;
  std::map<u64, bool> pinned;
  std::list<Event*> events;
  std::list<Module*> modules;
  std::list<Graph*> graphs;
  int streams = 0, contexts = 0;
  std::vector<Op> pending;
  std::vector<Op>* capturing = nullptr;
  Queue* queue = nullptr;
};
Driver& driver = *new Driver;
std::recursive_mutex& lock = *new std::recursive_mutex;
thread_local bool current;  // whether the context is this thread's

int refuse(int result, const std::string& why) {
  finding("%s", why.c_str());
  return result;
}

int ready(const char* call) {
  if (!current) return refuse(INVALID_CONTEXT, format("%s: no context is current in this thread", call));
  if (driver.failing && --driver.failing == 0) return UNKNOWN;
  return driver.failed;
}

// The allocation that holds an address, or null.
Buffer* holding(u64 address, u64 bytes) {
  auto next = driver.buffers.upper_bound(address);
  if (next == driver.buffers.begin()) return nullptr;
  auto [begin, buffer] = *--next;
  return address + bytes <= begin + buffer->bytes ? buffer : nullptr;
}

int allocate(const char* call, u64* into, u64 bytes, bool host) {
  if (int wrong = ready(call)) return wrong;
  if (bytes == 0) return refuse(INVALID_VALUE, format("%s: no bytes", call));
  if (driver.used + bytes > driver.memory) return OUT_OF_MEMORY;
  Buffer* buffer = makeBuffer(bytes);
  if (!buffer) return OUT_OF_MEMORY;
  if (!host) memset(buffer->contents, 0xff, bytes);  // as it may be; NaN to floats
  *into = reinterpret_cast<u64>(buffer->contents);
  driver.buffers[*into] = buffer;
  driver.pinned[*into] = host;
  driver.used += bytes;
  return SUCCESS;
}

std::string project() {
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&holding), &info);
  std::string path = info.dli_fname;
  return path.substr(0, path.rfind("/target/"));
}

int run(const std::vector<Command>& commands) {
  if (!driver.queue) driver.queue = make<Queue>();
  CommandBuffer* buffer = make<CommandBuffer>();
  buffer->queue = retain(driver.queue);
  open(buffer);
  buffer->commands = commands;
  commit(buffer);
  waitUntilCompleted(buffer);
  bool failed = statusOf(buffer) == Failed;
  release(buffer);
  return failed ? ILLEGAL_ADDRESS : SUCCESS;
}

int flush() {
  std::vector<Op> ops;
  ops.swap(driver.pending);
  std::vector<Command> commands;
  auto launch = [&] {
    if (!commands.empty() && !driver.failed) driver.failed = run(commands);
    commands.clear();
  };
  for (Op& op : ops) {
    if (op.kind == Op::Launch) {
      Command barrier;
      barrier.kind = Command::Barrier;
      commands.push_back(barrier);
      commands.push_back(op.command);
      continue;
    }
    launch();
    if (driver.failed) break;
    if (op.kind == Op::Copy) memmove(reinterpret_cast<void*>(op.to), op.staged.empty() ? reinterpret_cast<void*>(op.from) : op.staged.data(), op.bytes);
    if (op.kind == Op::Fill) memset(reinterpret_cast<void*>(op.to), int(op.from), op.bytes);
    if (op.kind == Op::Event) reinterpret_cast<Event*>(op.to)->pending = false;
  }
  launch();
  for (Op& op : ops) {
    if (op.kind == Op::Event) reinterpret_cast<Event*>(op.to)->pending = false;
  }
  return driver.failed;
}

int add(Op op) {
  (driver.capturing ? *driver.capturing : driver.pending).push_back(std::move(op));
  return settings.lazy || driver.capturing ? SUCCESS : flush();
}

int copy(const char* call, u64 to, u64 from, u64 bytes, bool toDevice, bool fromDevice) {
  if (int wrong = ready(call)) return wrong;
  if (toDevice && !holding(to, bytes)) return refuse(INVALID_VALUE, format("%s: %lu bytes to where no allocation has them", call, bytes));
  if (fromDevice && !holding(from, bytes)) return refuse(INVALID_VALUE, format("%s: %lu bytes from where no allocation has them", call, bytes));
  Op op{Op::Copy, to, from, bytes, {}, {}};
  if (!fromDevice && !holding(from, bytes)) {
    if (driver.capturing) return refuse(INVALID_VALUE, format("%s: a graph would copy pageable memory", call));
    op.staged.assign(reinterpret_cast<char*>(from), reinterpret_cast<char*>(from) + bytes);
  }
  return add(std::move(op));
}

// Binds parameters as the kernel's signature has them; what is wrong, or "".
std::string bind(Command& command, const char* parameters, u64 size) {
  std::map<int, const Parameter*> byIndex;
  for (const Parameter& p : command.pipeline->kernel->parameters) {
    if (p.kind == Parameter::Buffer) byIndex[p.index] = &p;
  }
  u64 at = 0;
  for (auto [index, p] : byIndex) {
    Binding& binding = command.bindings[index];
    if (p->reference) {
      if (at + p->size > size) return "too few bytes of parameters";
      binding.kind = Binding::Bytes;
      binding.bytes.assign(parameters + at, parameters + at + p->size);
      at += p->size;
    } else {
      at = (at + 7) / 8 * 8;
      if (at + 8 > size) return "too few bytes of parameters";
      u64 address;
      memcpy(&address, parameters + at, 8);
      at += 8;
      Buffer* buffer = holding(address, 1);
      if (!buffer) return "parameter '" + p->name + "' points to no allocation";
      binding.kind = Binding::Of;
      binding.buffer = buffer;
      binding.offset = address - reinterpret_cast<u64>(buffer->contents);
    }
  }
  return at == size ? "" : format("%lu bytes of parameters, where the kernel has %lu", size, at);
}

struct LaunchConfig { u32 grid[3], block[3], shared; void* stream; void* attributes; u32 attributeCount; };

}  // namespace

#define CALL(name) extern "C" __attribute__((visibility("default"))) int name
#define LOCKED std::lock_guard<std::recursive_mutex> guard(lock)

CALL(cuInit)(u32) { return driver.init; }
CALL(cuDriverGetVersion)(int* version) { *version = driver.version; return SUCCESS; }
CALL(cuDeviceGet)(int* device, int ordinal) { *device = 0; return ordinal == 0 ? SUCCESS : INVALID_VALUE; }
CALL(cuDeviceGetName)(char* name, int bytes, int) { snprintf(name, bytes, "Software CUDA"); return SUCCESS; }
CALL(cuDeviceGetAttribute)(int* value, int attribute, int) {
  *value = attribute == 75 ? driver.capability / 10 : attribute == 76 ? driver.capability % 10 : 0;
  return attribute == 75 || attribute == 76 ? SUCCESS : INVALID_VALUE;
}
CALL(cuDevicePrimaryCtxRetain)(u64* context, int) { LOCKED; *context = 1; driver.contexts++; return SUCCESS; }
CALL(cuDevicePrimaryCtxRelease_v2)(int) {
  LOCKED;
  if (driver.contexts-- == 0) return refuse(INVALID_CONTEXT, "cuDevicePrimaryCtxRelease: no context is retained");
  if (driver.contexts == 0) {
    driver.pending.clear();
    driver.failed = SUCCESS;
    current = false;
  }
  return SUCCESS;
}
CALL(cuCtxSetCurrent)(u64 context) { current = context == 1; return current ? SUCCESS : INVALID_CONTEXT; }
CALL(cuMemGetInfo_v2)(u64* free, u64* total) { LOCKED; *free = driver.memory - driver.used; *total = driver.memory; return ready("cuMemGetInfo"); }
CALL(cuMemAlloc_v2)(u64* into, u64 bytes) { LOCKED; return allocate("cuMemAlloc", into, bytes, false); }
CALL(cuMemHostAlloc)(u64* into, u64 bytes, u32) { LOCKED; return allocate("cuMemHostAlloc", into, bytes, true); }

static int freed(const char* call, u64 address, bool host) {
  if (!current) return refuse(INVALID_CONTEXT, format("%s: no context is current in this thread", call));
  flush();
  auto found = driver.buffers.find(address);
  if (found == driver.buffers.end() || driver.pinned[address] != host) return refuse(INVALID_VALUE, format("%s: no such allocation", call));
  driver.used -= found->second->bytes;
  release(found->second);
  driver.buffers.erase(found);
  driver.pinned.erase(address);
  return SUCCESS;
}
CALL(cuMemFree_v2)(u64 address) { LOCKED; return freed("cuMemFree", address, false); }
CALL(cuMemFreeHost)(u64 address) { LOCKED; return freed("cuMemFreeHost", address, true); }
CALL(cuMemsetD8Async)(u64 to, u8 value, u64 bytes, u64) {
  LOCKED;
  if (int wrong = ready("cuMemsetD8Async")) return wrong;
  if (!holding(to, bytes)) return refuse(INVALID_VALUE, "cuMemsetD8Async: outside of all allocations");
  return add({Op::Fill, to, value, bytes, {}, {}});
}
CALL(cuMemcpyHtoDAsync_v2)(u64 to, u64 from, u64 bytes, u64) { LOCKED; return copy("cuMemcpyHtoDAsync", to, from, bytes, true, false); }
CALL(cuMemcpyDtoHAsync_v2)(u64 to, u64 from, u64 bytes, u64) { LOCKED; return copy("cuMemcpyDtoHAsync", to, from, bytes, false, true); }
CALL(cuMemcpyDtoDAsync_v2)(u64 to, u64 from, u64 bytes, u64) { LOCKED; return copy("cuMemcpyDtoDAsync", to, from, bytes, true, true); }

CALL(cuStreamCreate)(u64* stream, u32) {
  LOCKED;
  if (int wrong = ready("cuStreamCreate")) return wrong;
  *stream = 2;
  driver.streams++;
  return SUCCESS;
}
CALL(cuStreamDestroy_v2)(u64) { LOCKED; driver.streams--; return SUCCESS; }
CALL(cuStreamSynchronize)(u64) {
  LOCKED;
  if (driver.capturing) return refuse(INVALID_VALUE, "cuStreamSynchronize: the stream is being captured");
  if (int wrong = ready("cuStreamSynchronize")) return wrong;
  return flush();
}
CALL(cuStreamBeginCapture_v2)(u64, int) {
  LOCKED;
  if (driver.capturing) return refuse(INVALID_VALUE, "cuStreamBeginCapture: the stream is being captured");
  if (int wrong = ready("cuStreamBeginCapture")) return wrong;
  driver.capturing = new std::vector<Op>;
  return SUCCESS;
}
static Graph* newGraph(std::vector<Op> ops) {
  driver.graphs.push_back(new Graph{std::move(ops)});
  return driver.graphs.back();
}
CALL(cuStreamEndCapture)(u64, Graph** graph) {
  LOCKED;
  if (!driver.capturing) return refuse(INVALID_VALUE, "cuStreamEndCapture: nothing is captured");
  *graph = newGraph(std::move(*driver.capturing));
  delete driver.capturing;
  driver.capturing = nullptr;
  return SUCCESS;
}
CALL(cuGraphInstantiateWithFlags)(Graph** executable, Graph* graph, u64) {
  LOCKED;
  if (int wrong = ready("cuGraphInstantiate")) return wrong;
  *executable = newGraph(graph->ops);
  return SUCCESS;
}
CALL(cuGraphLaunch)(Graph* graph, u64) {
  LOCKED;
  if (int wrong = ready("cuGraphLaunch")) return wrong;
  driver.graphLaunches++;
  for (const Op& op : graph->ops) {
    if (int wrong = add(op)) return wrong;
  }
  return SUCCESS;
}
static int dropGraph(Graph* graph) {
  LOCKED;
  driver.graphs.remove(graph);
  delete graph;
  return SUCCESS;
}
CALL(cuGraphExecDestroy)(Graph* graph) { return dropGraph(graph); }
CALL(cuGraphDestroy)(Graph* graph) { return dropGraph(graph); }

// A library is its own module.
CALL(cuLibraryLoadData)(Module** into, const char* ptx, void*, void*, u32 jitOptions, void*, void*, u32 options) {
  LOCKED;
  if (jitOptions || options) return refuse(INVALID_VALUE, "cuLibraryLoadData: options");
  if (int wrong = ready("cuLibraryLoadData")) return wrong;
  std::istringstream lines(ptx);
  std::string line, word, source = "#include <metal_stdlib>\nusing namespace metal;\n#define MANY_REGISTERS\n", files;
  while (std::getline(lines, line) && line.compare(0, 3, "// ") == 0) {
    if (line.compare(0, 9, "// files ") == 0) files = line.substr(9);
    if (line.compare(0, 4, "// #") == 0) source += line.substr(3) + "\n";
  }
  int major = 0, minor = 0;
  if (sscanf(line.c_str(), ".version %d.%d", &major, &minor) != 2 || files.empty()) return refuse(INVALID_PTX, "cuLibraryLoadData: no PTX of scripts/make-ptx");
  int latest = driver.version / 1000 * 10 - 40 + driver.version % 1000 / 10;  // CUDA 12.0 brought PTX 8.0
  if (major * 10 + minor > latest) return refuse(UNSUPPORTED_PTX_VERSION, "cuLibraryLoadData: PTX of a later CUDA than the driver's: " + line);
  std::istringstream names(files);
  while (names >> word) {
    std::ifstream in(project() + "/src/main/resources/dev/helixbg/llm/gpu/kernels/" + word);
    std::stringstream text;
    text << in.rdbuf();
    source += text.str();
  }
  try {
    Module* module = new Module{std::make_shared<Program>(source, true), ptx, {}};
    driver.modules.push_back(module);
    *into = module;
    return SUCCESS;
  } catch (const std::runtime_error& wrong) {
    return refuse(INVALID_PTX, wrong.what());
  }
}
CALL(cuLibraryGetModule)(Module** into, Module* library) { *into = library; return ready("cuLibraryGetModule"); }
CALL(cuLibraryUnload)(Module* module) {
  LOCKED;
  flush();
  driver.modules.remove(module);
  for (Pipeline* each : module->pipelines) release(each);
  delete module;
  return SUCCESS;
}
CALL(cuModuleGetFunction)(Pipeline** into, Module* module, const char* name) {
  LOCKED;
  if (int wrong = ready("cuModuleGetFunction")) return wrong;
  const Kernel* kernel = strncmp(name, "ptx_", 4) == 0 ? module->program->kernel(name + 4) : nullptr;
  if (!kernel || module->text.find(std::string(".entry ") + name + "(") == std::string::npos) return NOT_FOUND;
  Pipeline* made = make<Pipeline>();
  made->program = module->program;
  made->kernel = kernel;
  made->label = kernel->name;
  module->pipelines.push_back(made);
  *into = made;
  return SUCCESS;
}
CALL(cuFuncGetAttribute)(int* value, int, Pipeline* function) { *value = int(function->maxThreads); return SUCCESS; }
CALL(cuLaunchKernelEx)(const LaunchConfig* config, Pipeline* function, void** values, void** extra) {
  LOCKED;
  if (int wrong = ready("cuLaunchKernelEx")) return wrong;
  if (!isAlive(function)) return refuse(INVALID_HANDLE, "cuLaunchKernelEx: no such function");
  if (values || !extra || extra[0] != reinterpret_cast<void*>(1) || extra[2] != reinterpret_cast<void*>(2) || extra[4]) {
    return refuse(INVALID_VALUE, "cuLaunchKernelEx: parameters come as one piece, with its size");
  }
  if (config->attributeCount > 1 || (config->attributeCount == 1 && *static_cast<int*>(config->attributes) != 6)) {
    return refuse(INVALID_VALUE, "cuLaunchKernelEx: another attribute than programmatic stream serialization");
  }
  Command command;
  command.kind = Command::Dispatch;
  command.pipeline = function;
  command.grid = {config->grid[0], config->grid[1], config->grid[2]};
  command.group = {config->block[0], config->block[1], config->block[2]};
  command.threadgroupBytes[0] = config->shared;
  std::string wrong = bind(command, static_cast<char*>(extra[1]), *static_cast<u64*>(extra[3]));
  if (wrong.empty()) wrong = refusal(command);
  if (!wrong.empty()) return refuse(INVALID_VALUE, "cuLaunchKernelEx: kernel " + function->kernel->name + ": " + wrong);
  driver.launches++;
  Op op{Op::Launch, 0, 0, 0, {}, {}};
  op.command = std::move(command);
  return add(std::move(op));
}

CALL(cuEventCreate)(Event** event, u32) {
  LOCKED;
  if (int wrong = ready("cuEventCreate")) return wrong;
  *event = new Event;
  driver.events.push_back(*event);
  return SUCCESS;
}
CALL(cuEventRecord)(Event* event, u64) {
  LOCKED;
  if (int wrong = ready("cuEventRecord")) return wrong;
  event->pending = true;
  return add({Op::Event, reinterpret_cast<u64>(event), 0, 0, {}, {}});
}
CALL(cuEventQuery)(Event* event) { LOCKED; return driver.failed ? driver.failed : event->pending ? NOT_READY : SUCCESS; }
CALL(cuEventSynchronize)(Event* event) { LOCKED; if (event->pending) flush(); return driver.failed; }
CALL(cuEventDestroy_v2)(Event* event) {
  LOCKED;
  if (event->pending) flush();
  driver.events.remove(event);
  delete event;
  return SUCCESS;
}
CALL(cuGetErrorString)(int result, const char** text) {
  switch (result) {
    case OUT_OF_MEMORY: *text = "out of memory"; return SUCCESS;
    case NO_DEVICE: *text = "no CUDA-capable device is detected"; return SUCCESS;
    case ILLEGAL_ADDRESS: *text = "an illegal memory access was encountered"; return SUCCESS;
    case INVALID_VALUE: *text = "invalid argument"; return SUCCESS;
    default: *text = "another error"; return SUCCESS;
  }
}

// ---- what tests ask beside

// Bytes of memory 0: 16 GiB.
CALL(softcuda_configure)(int init, int version, int capability, u64 memory) {
  LOCKED;
  driver.init = init;
  driver.version = version;
  driver.capability = capability;
  driver.memory = memory ? memory : 1ull << 34;
  return SUCCESS;
}
// The call of this number from now on fails, once, and does nothing; of those that need a context. Returns what is left of the number before.
extern "C" __attribute__((visibility("default"))) u64 softcuda_fail(u64 call) {
  LOCKED;
  u64 left = driver.failing;
  driver.failing = call;
  return left;
}
// Counts since the last call: launches, and launches of graphs, in the upper half.
extern "C" __attribute__((visibility("default"))) u64 softcuda_take_launches() {
  LOCKED;
  u64 both = driver.launches | driver.graphLaunches << 32;
  driver.launches = driver.graphLaunches = 0;
  return both;
}
// Things that were never given back; 0 after all was.
extern "C" __attribute__((visibility("default"))) u64 softcuda_live() {
  LOCKED;
  if (driver.queue && driver.contexts == 0) {
    release(driver.queue);
    driver.queue = nullptr;
  }
  return driver.buffers.size() + driver.events.size() + driver.modules.size() + driver.graphs.size() + driver.streams + driver.contexts;
}
