// The GPU's side of command buffers: their order, when they run, and who is told.
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>

#include "classes.h"
#include "executor.h"

namespace softmetal {

static constexpr int QUEUE_LIMIT = 64;            // uncompleted command buffers of a queue
static constexpr double LATE = 0.005;             // seconds, how long lazy completion lets a poll wait
static constexpr u64 SNAPSHOT_LIMIT = 4 << 20;    // bytes; larger buffers are not watched for writes of the CPU

static std::mutex& lock = *new std::mutex;
static std::condition_variable &changed = *new std::condition_variable, &finished = *new std::condition_variable;
static std::list<CommandBuffer*>& pending = *new std::list<CommandBuffer*>;  // committed, in order

static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Whether a committed command buffer may start. Lazy: only if somebody waits for it or for a later one of its queue.
static bool due(CommandBuffer* buffer) {
  if (!settings.lazy) return true;
  for (CommandBuffer* other : pending) {
    if (other->queue == buffer->queue && other->awaited) return true;
  }
  return false;
}

// The first command buffer that is due and has none of its queue before it.
static CommandBuffer* runnable() {
  std::set<Queue*> behind;
  for (CommandBuffer* buffer : pending) {
    if (!behind.insert(buffer->queue).second) continue;
    if (due(buffer)) return buffer;
  }
  return nullptr;
}

// Finds what the CPU has changed, since they were committed, in buffers that pending command buffers use.
static void noteChanges() {
  for (CommandBuffer* buffer : pending) {
    for (auto& [used, snapshot] : buffer->snapshots) {
      if (!isAlive(used) || memcmp(used->contents, snapshot.held.data(), snapshot.held.size()) == 0) continue;
      for (u64 i = 0; i < snapshot.held.size(); i++) {
        if (used->contents[i] == snapshot.held[i]) continue;
        u64 from = i;
        while (i < snapshot.held.size() && used->contents[i] != snapshot.held[i]) i++;
        snapshot.changed.push_back({from, i});
      }
      memcpy(snapshot.held.data(), used->contents, snapshot.held.size());
    }
  }
}

// What the GPU wrote is no change by the CPU.
static void absorb(const std::set<Buffer*>& usedByGpu) {
  for (CommandBuffer* buffer : pending) {
    for (auto& [used, snapshot] : buffer->snapshots) {
      if (usedByGpu.count(used) && isAlive(used)) memcpy(snapshot.held.data(), used->contents, snapshot.held.size());
    }
  }
}

static bool fails() { return settings.failing > 0 && settings.healthy-- <= 0 && settings.failing-- > 0; }

static void serve() {
  for (;;) {
    CommandBuffer* buffer;
    {
      std::unique_lock<std::mutex> guard(lock);
      while (!(buffer = runnable())) {
        changed.wait(guard);
      }
      noteChanges();
      buffer->status = Scheduled;
    }
    std::string error = fails() ? "Caused GPU Timeout Error (00000002:kIOAccelCommandBufferCallbackErrorTimeout)" : execute(buffer);
    {
      std::lock_guard<std::mutex> guard(lock);
      pending.remove(buffer);
      absorb(buffer->used);
      buffer->error = error;
      buffer->status = error.empty() ? Completed : Failed;
      buffer->queue->open--;
    }
    buffer->dropReferences();
    {
      std::lock_guard<std::mutex> guard(lock);
      buffer->finished = true;
      release(buffer);  // before anybody who waits goes on, and counts what is left
      finished.notify_all();
    }
  }
}

// A queue gives out 64 command buffers; for the next one it waits until one has completed.
void open(CommandBuffer* buffer) {
  std::unique_lock<std::mutex> guard(lock);
  Queue* queue = buffer->queue;
  if (queue->open >= QUEUE_LIMIT) {
    bool hope = false;
    for (CommandBuffer* other : pending) hope |= other->queue == queue && other->status >= Committed && (other->awaited = true);
    changed.notify_all();
    if (hope) finished.wait(guard, [&] { return queue->open < QUEUE_LIMIT; });
    else finding("commandBuffer: %d command buffers of this queue are open and none is committed: this would wait for ever", QUEUE_LIMIT);
  }
  queue->open++;
}

void commit(CommandBuffer* buffer) {
  std::lock_guard<std::mutex> guard(lock);
  static bool started = false;
  if (!started) std::thread(serve).detach();
  started = true;
  pending.push_back(retain(buffer));
  buffer->status = Committed;
  buffer->committed = now();
  if (settings.lazy && settings.checks) {
    for (Buffer* used : buffer->used) {
      if (used->bytes <= SNAPSHOT_LIMIT) buffer->snapshots[used].held.assign(used->contents, used->contents + used->bytes);
    }
  }
  changed.notify_all();
}

void waitUntilCompleted(CommandBuffer* buffer) {
  std::unique_lock<std::mutex> guard(lock);
  buffer->awaited = true;
  changed.notify_all();
  finished.wait(guard, [&] { return buffer->finished; });
}

Status statusOf(CommandBuffer* buffer) {
  std::lock_guard<std::mutex> guard(lock);
  // Somebody who asks again and again must see it complete some day.
  if (buffer->status == Committed && now() - buffer->committed > LATE) {
    buffer->awaited = true;
    changed.notify_all();
  }
  return buffer->status;
}

void close(CommandBuffer* buffer) {
  if (buffer->status < Committed) buffer->queue->open--;
}

}  // namespace softmetal
