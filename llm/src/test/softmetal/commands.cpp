// MTLCommandQueue, MTLCommandBuffer, MTLComputeCommandEncoder: recording, and all that Metal's validation looks at.
#include "classes.h"

namespace softmetal {

// ---- MTLCommandQueue

static Object* commandBuffer(Queue* self, Selector) {
  CommandBuffer* made = make<CommandBuffer>();
  made->queue = retain(self);
  open(made);
  return autorelease(made);
}

// ---- MTLCommandBuffer

// A completed command buffer holds on to nothing that it used.
void CommandBuffer::dropReferences() {
  for (Buffer* each : used) release(each);
  for (Pipeline* each : pipelines) release(each);
  used.clear();
  pipelines.clear();
  commands.clear();
  snapshots.clear();
}

CommandBuffer::~CommandBuffer() {
  close(this);
  dropReferences();
  release(queue);
}

static Object* computeEncoder(CommandBuffer* self, Selector message, u64 type) {
  if (type > 1) finding("%s: %lu is neither serial (0) nor concurrent (1)", message, type);
  if (self->status >= Committed) {
    finding("%s: the command buffer is already committed", message);
    return nullptr;
  }
  if (self->encoding) {
    finding("%s: another encoder of this command buffer is still open", message);
    return nullptr;
  }
  Encoder* made = make<Encoder>();
  made->buffer = retain(self);
  made->concurrent = type == 1;
  self->encoding = true;
  Command barrier;
  barrier.kind = Command::Barrier;  // buffers are tracked: encoders are ordered
  self->commands.push_back(barrier);
  return autorelease(made);
}

static void commitBuffer(CommandBuffer* self, Selector message) {
  needsPool(message);
  if (self->status >= Committed) {
    finding("%s: the command buffer is already committed", message);
  } else if (self->encoding) {
    finding("%s: an encoder is still open (no endEncoding)", message);
  } else {
    commit(self);
  }
}
static void waitBuffer(CommandBuffer* self, Selector message) {
  needsPool(message);
  if (self->status < Committed) {
    finding("%s: the command buffer was not committed: this would wait for ever", message);
  } else {
    waitUntilCompleted(self);
  }
}
static u64 status(CommandBuffer* self, Selector) { return statusOf(self); }
static Object* error(CommandBuffer* self, Selector) {
  return statusOf(self) == Failed ? autoreleased(newError(self->error)) : nullptr;
}

// ---- MTLComputeCommandEncoder

Encoder::~Encoder() {
  if (!ended) finding("an encoder was released without endEncoding");
  release(buffer);
}

static bool open(Encoder* self, Selector message) {
  if (self->ended) finding("%s: after endEncoding", message);
  return !self->ended;
}

static void setPipeline(Encoder* self, Selector message, void* pipeline) {
  needsPool(message);
  if (!open(self, message)) return;
  Pipeline* given = argument<Pipeline>(pipeline, message);
  if (!given) return;
  self->next->pipeline = given;
  if (self->buffer->pipelines.insert(given).second) retain(given);
}

static bool indexIsValid(Selector message, u64 index) {
  if (index >= BINDINGS) finding("%s: index %lu, where 30 is the last", message, index);
  return index < BINDINGS;
}

static void setBuffer(Encoder* self, Selector message, void* given, u64 offset, u64 index) {
  if (!open(self, message) || !indexIsValid(message, index)) return;
  Binding& binding = self->next->bindings[index];
  binding = Binding();
  if (!given) return;  // nil takes a binding away
  Buffer* buffer = argument<Buffer>(given, message);
  if (!buffer) return;
  if (offset >= buffer->bytes) {
    finding("%s: offset %lu of a buffer of %lu bytes", message, offset, buffer->bytes);
    return;
  }
  binding.kind = Binding::Of;
  binding.buffer = buffer;
  binding.offset = offset;
  if (self->buffer->used.insert(buffer).second) retain(buffer);
}

static void setBytes(Encoder* self, Selector message, const char* bytes, u64 length, u64 index) {
  if (!open(self, message) || !indexIsValid(message, index)) return;
  if (!bytes || length == 0 || length >= 4096) {
    finding("%s: %lu bytes at %p, where 1 to 4095 are allowed", message, length, static_cast<const void*>(bytes));
    return;
  }
  Binding& binding = self->next->bindings[index];
  binding.kind = Binding::Bytes;
  binding.buffer = nullptr;
  binding.offset = 0;
  binding.bytes.assign(bytes, bytes + length);
}

static void setThreadgroupMemory(Encoder* self, Selector message, u64 length, u64 index) {
  if (!open(self, message) || !indexIsValid(message, index)) return;
  if (length % 16 || length > MAX_THREADGROUP_BYTES) {
    finding("%s: %lu bytes, where a multiple of 16 up to %lu is needed", message, length, MAX_THREADGROUP_BYTES);
    return;
  }
  self->next->threadgroupBytes[index] = length;
}

// What Metal's validation, and the kernel's own signature, say against a dispatch; "" if nothing.
std::string refusal(const Command& c) {
  if (!c.pipeline) return "no pipeline state is set";
  if (!isAlive(c.pipeline)) return "the pipeline state was deallocated";
  const Kernel& kernel = *c.pipeline->kernel;
  std::string who = "kernel " + kernel.name + ": ";
  u64 threads = c.group.width * c.group.height * c.group.depth;
  if (c.group.width > MAX_THREADS || c.group.height > MAX_THREADS || c.group.depth > MAX_THREADS || threads == 0 ||
      threads > c.pipeline->maxThreads) {
    return who + format("%lu x %lu x %lu threads per threadgroup, where 1 to %lu are allowed", c.group.width, c.group.height,
                        c.group.depth, c.pipeline->maxThreads);
  }
  if (c.grid.width == 0 || c.grid.height == 0 || c.grid.depth == 0) return who + "the grid is empty";
  if (c.grid.width >> 32 || c.grid.height >> 32 || c.grid.depth >> 32) return who + "the grid is larger than 32 bits can count";
  u64 threadgroupBytes = kernel.threadgroupBytes;
  for (const Parameter& p : kernel.parameters) {
    if (p.kind == Parameter::Threadgroup) {
      u64 bytes = c.threadgroupBytes[p.index];
      if (bytes < p.size) return who + format("threadgroup(%d) '%s' has %lu bytes of memory, its type needs %u", p.index, p.name.c_str(), bytes, p.size);
      threadgroupBytes += bytes;
    }
    if (p.kind != Parameter::Buffer) continue;
    const Binding& b = c.bindings[p.index];
    std::string what = who + format("buffer(%d) '%s' ", p.index, p.name.c_str());
    if (b.kind == Binding::None) return what + "is not bound";
    if (b.kind == Binding::Of && !isAlive(b.buffer)) return what + "is bound to a deallocated buffer";
    u64 bytes = b.kind == Binding::Of ? b.buffer->bytes - b.offset : b.bytes.size();
    if (bytes < p.size) return what + format("is bound to %lu bytes, its type needs %u", bytes, p.size);
    if (b.kind == Binding::Bytes && bytes % p.size) return what + format("is bound to %lu bytes, which is no multiple of its type's %u", bytes, p.size);
    if (b.kind == Binding::Bytes && p.reference && bytes != p.size) return what + format("is bound to %lu bytes, its type has %u", bytes, p.size);
    if (b.kind == Binding::Bytes && !p.readOnly) return what + "is written, but bound by setBytes";
    if (b.offset % p.align) return what + format("is bound at offset %lu, which is no multiple of %u", b.offset, p.align);
  }
  if (threadgroupBytes > MAX_THREADGROUP_BYTES) {
    return who + format("%lu bytes of threadgroup memory, where %lu is the limit", threadgroupBytes, MAX_THREADGROUP_BYTES);
  }
  return "";
}

static void dispatchThreadgroups(Encoder* self, Selector message, Size grid, Size group) {
  needsPool(message);
  if (!open(self, message)) return;
  Command command = *self->next;
  command.grid = grid;
  command.group = group;
  std::string wrong = refusal(command);
  if (!wrong.empty()) {
    finding("%s: %s", message, wrong.c_str());
    self->buffer->error = "invalid dispatch: " + wrong;
    return;
  }
  if (!self->concurrent) {
    Command barrier;
    barrier.kind = Command::Barrier;
    self->buffer->commands.push_back(barrier);
  }
  self->buffer->commands.push_back(std::move(command));
}

static void memoryBarrierWithScope(Encoder* self, Selector message, u64 scope) {
  needsPool(message);
  if (!open(self, message)) return;
  constexpr u64 BUFFERS = 1, TEXTURES = 2;
  if (scope & ~(BUFFERS | TEXTURES) || !(scope & BUFFERS)) {
    finding("%s: scope %lu does not cover buffers (1)", message, scope);
    return;
  }
  Command barrier;
  barrier.kind = Command::Barrier;
  self->buffer->commands.push_back(barrier);
}

static void endEncoding(Encoder* self, Selector message) {
  needsPool(message);
  if (!open(self, message)) return;
  self->ended = true;
  self->buffer->encoding = false;
}

void defineCommands() {
  define(Queue::type(), {{"commandBuffer", method(commandBuffer)}});
  define(CommandBuffer::type(), {{"computeCommandEncoderWithDispatchType:", method(computeEncoder)}, {"commit", method(commitBuffer)},
                                 {"waitUntilCompleted", method(waitBuffer)}, {"status", method(status)}, {"error", method(error)}});
  define(Encoder::type(), {{"setComputePipelineState:", method(setPipeline)}, {"setBuffer:offset:atIndex:", method(setBuffer)},
                           {"setBytes:length:atIndex:", method(setBytes)},
                           {"setThreadgroupMemoryLength:atIndex:", method(setThreadgroupMemory)},
                           {"dispatchThreadgroups:threadsPerThreadgroup:", method(dispatchThreadgroups)},
                           {"memoryBarrierWithScope:", method(memoryBarrierWithScope)},
                           {"endEncoding", method(endEncoding)}});
}

}  // namespace softmetal
