// MTLDevice and what it makes: buffers, libraries, functions, pipelines, queues.
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <stdexcept>

#include "classes.h"

namespace softmetal {

static Device* device;  // the only one; this library holds one reference
static std::atomic<u64> allocated{0};

static constexpr u64 BUFFER_LIMIT = 16ull << 30, WORKING_SET = 12ull << 30;

static void fillError(void** into, const std::string& text) {
  if (into) *into = autoreleased(newError(text));
}

// ---- MTLDevice

static Object* deviceName(Device*, Selector) { return autoreleased(newString("Software Metal")); }
static u64 recommendedMaxWorkingSetSize(Device*, Selector) { return WORKING_SET; }
static u64 currentAllocatedSize(Device*, Selector) { return allocated; }
static u64 maxBufferLength(Device*, Selector) { return BUFFER_LIMIT; }

static bool storageIsShared(Selector message, u64 options) {
  u64 storage = options & 0xf0, hazards = options & 0x300;
  if (storage != 0) finding("%s: storage mode %lu, where the CPU needs shared (0)", message, storage >> 4);
  if (hazards == 0x100) {
    finding("%s: an untracked buffer, whose encoders nothing would order: the software Metal has no fences", message);
  }
  if (options & ~0x3f1ull) finding("%s: options 0x%lx have unknown bits", message, options);
  return storage == 0 && hazards != 0x100 && !(options & ~0x3f1ull);
}

static Object* newBuffer(Device*, Selector message, u64 bytes, u64 options) {
  needsPool(message);
  if (!storageIsShared(message, options)) return nullptr;
  if (bytes == 0 || bytes > BUFFER_LIMIT) {
    finding("%s: %lu bytes, where 1 to %lu are allowed", message, bytes, BUFFER_LIMIT);
    return nullptr;
  }
  return makeBuffer(bytes);
}

Buffer* makeBuffer(u64 bytes) {
  u64 page = sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page, all = size + 2 * page;
  void* mapping = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;  // as when a device is out of memory
  Buffer* buffer = make<Buffer>();
  buffer->mapping = static_cast<char*>(mapping);
  buffer->mappingBytes = all;
  buffer->contents = buffer->mapping + page;
  buffer->bytes = bytes;
  mprotect(buffer->contents, size, PROT_READ | PROT_WRITE);
  allocated += bytes;
  return buffer;
}

static Object* newBufferNoCopy(Device*, Selector message, char* contents, u64 bytes, u64 options, void* deallocator) {
  needsPool(message);
  if (!contents || deallocator) {
    finding("%s: NULL, or a deallocator, which the software Metal would not call", message);
    return nullptr;
  }
  if (!storageIsShared(message, options)) return nullptr;
  const u64 page = sysconf(_SC_PAGESIZE);
  if (reinterpret_cast<u64>(contents) % page || bytes % page || bytes == 0) {
    finding("%s: pointer %p or length %lu is not a multiple of the page size, %lu", message, static_cast<void*>(contents), bytes, page);
    return nullptr;
  }
  Buffer* buffer = make<Buffer>();
  buffer->contents = contents;
  buffer->bytes = bytes;
  allocated += bytes;
  return buffer;
}

Buffer::~Buffer() {
  allocated -= bytes;
  if (mapping) munmap(mapping, mappingBytes);
}

static Object* newLibrary(Device*, Selector message, void* sourceText, void* compileOptions, void** error) {
  needsPool(message);
  String* source = argument<String>(sourceText, message);
  CompileOptions* options = compileOptions ? argument<CompileOptions>(compileOptions, message) : nullptr;
  if (!source || (compileOptions && !options)) return nullptr;
  if (!error) finding("%s: no place for an error", message);
  if (settings.pools && (!options || options->languageVersion == 0)) finding("%s: no language version, so that it is the system's newest", message);
  try {
    std::shared_ptr<Program> program = std::make_shared<Program>(source->text, options ? options->fastMath : true);
    Library* library = make<Library>();
    library->program = program;
    return library;
  } catch (const std::runtime_error& wrong) {
    fillError(error, wrong.what());
    return nullptr;
  }
}

static std::atomic<u64> compiled{0};  // kernels of which machine code was made

static Object* pipelineOf(Function* f, void** error) {
  if (f->kernel->threadgroupBytes > MAX_THREADGROUP_BYTES) {
    fillError(error, format("Threadgroup memory size (%lu) exceeds the maximum threadgroup memory allowed (%lu)",
                            f->kernel->threadgroupBytes, MAX_THREADGROUP_BYTES));
    return nullptr;
  }
  Pipeline* pipeline = make<Pipeline>();
  pipeline->program = f->program;
  pipeline->kernel = f->kernel;
  pipeline->label = f->kernel->name;
  pipeline->maxThreads = f->kernel->maxThreads;
  return pipeline;
}

static Object* newPipeline(Device*, Selector message, void* function, void** error) {
  needsPool(message);
  Function* f = argument<Function>(function, message);
  if (!f) return nullptr;
  if (!error) finding("%s: no place for an error", message);
  compiled++;
  return pipelineOf(f, error);
}

static Object* newQueue(Device*, Selector message) {
  needsPool(message);
  return make<Queue>();
}

// ---- MTLCompileOptions

static Object* newOptions(void*, Selector) { return make<CompileOptions>(); }
static void setFastMathEnabled(CompileOptions* self, Selector, u8 on) { self->fastMath = on; }
static void setMathMode(CompileOptions* self, Selector message, long mode) {
  if (mode < 0 || mode > 2) finding("%s: %ld is neither safe (0), relaxed (1) nor fast (2)", message, mode);
  self->fastMath = mode == 2;
}
static void setLanguageVersion(CompileOptions* self, Selector message, u64 version) {
  if (version < 0x20003 || version > 0x40000) finding("%s: 0x%lx is no version that has all that is used", message, version);
  self->languageVersion = version;
}

// ---- MTLLibrary, MTLFunction, MTLComputePipelineState

static Object* newFunction(Library* self, Selector message, void* name) {
  needsPool(message);
  String* text = argument<String>(name, message);
  const Kernel* kernel = text ? self->program->kernel(text->text) : nullptr;
  if (!kernel) return nullptr;  // as the real one: no error, no text
  Function* function = make<Function>();
  function->program = self->program;
  function->kernel = kernel;
  return function;
}
static u64 maxTotalThreads(Pipeline* self, Selector) { return self->maxThreads; }

// ---- MTLBuffer

static void* contents(Buffer* self, Selector) { return self->contents; }
static u64 bufferLength(Buffer* self, Selector) { return self->bytes; }

void defineDevice() {
  device = make<Device>();
  define(Device::type(), {{"name", method(deviceName)}, {"recommendedMaxWorkingSetSize", method(recommendedMaxWorkingSetSize)},
                          {"currentAllocatedSize", method(currentAllocatedSize)},
                          {"maxBufferLength", method(maxBufferLength)}, {"newBufferWithLength:options:", method(newBuffer)},
                          {"newBufferWithBytesNoCopy:length:options:deallocator:", method(newBufferNoCopy)},
                          {"newLibraryWithSource:options:error:", method(newLibrary)},
                          {"newComputePipelineStateWithFunction:error:", method(newPipeline)},
                          {"newCommandQueue", method(newQueue)}});
  define(CompileOptions::type()->meta, {{"new", method(newOptions)}});
  define(CompileOptions::type(), {{"setFastMathEnabled:", method(setFastMathEnabled)},
                                  {"setMathMode:", method(setMathMode)}, {"setLanguageVersion:", method(setLanguageVersion)}});
  define(Library::type(), {{"newFunctionWithName:", method(newFunction)}});
  define(Pipeline::type(), {{"maxTotalThreadsPerThreadgroup", method(maxTotalThreads)}});
  define(Buffer::type(), {{"contents", method(contents)}, {"length", method(bufferLength)}});
}

void defineClasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    defineFoundation();
    defineDevice();
    defineCommands();
  });
}

}  // namespace softmetal

using namespace softmetal;

EXPORT void* MTLCreateSystemDefaultDevice() {
  defineClasses();
  return retain(device);
}

EXPORT u64 softmetal_compiled_kernels() { return compiled; }
