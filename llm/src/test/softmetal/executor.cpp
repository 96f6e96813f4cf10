// Runs dispatches: with checks on one machine, so that "earlier" has a meaning; without on one machine per core.
#include "executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "machine.h"

namespace softmetal {

// A dispatch on its way through the machines.
struct Work {
  Launch launch{};
  const u32* order = nullptr;   // of the threadgroups; null: as they come
  u32 count = 0;
  std::atomic<u32> next{0};
  std::atomic<bool> stop{false};
};

static void run(Machine& machine, Work& work, std::string& error) {
  try {
    machine.begin(work.launch);
    for (u32 i; !work.stop && (i = work.next++) < work.count;) {
      if (!machine.runGroup(work.order ? work.order[i] : i)) {
        error = machine.error();
        work.stop = true;
      }
    }
  } catch (const std::runtime_error& wrong) {
    error = wrong.what();
    work.stop = true;
  }
}

// The machines beside the first, each on a thread of its own.
class Helpers {
 public:
  explicit Helpers(u32 count) {
    for (u32 i = 0; i < count; i++) std::thread([this, i] { serve(i + 1); }).detach();
    threads = count;
  }
  void start(Work* work) {
    std::lock_guard<std::mutex> guard(lock);
    current = work;
    generation++;
    busy = threads;
    begin.notify_all();
  }
  std::string finish() {
    std::unique_lock<std::mutex> guard(lock);
    end.wait(guard, [this] { return busy == 0; });
    std::string result;
    std::swap(result, error);
    return result;
  }

 private:
  void serve(u32 number) {
    Machine machine(number);
    u64 seen = 0;
    for (;;) {
      std::unique_lock<std::mutex> guard(lock);
      begin.wait(guard, [&] { return generation != seen; });
      seen = generation;
      Work* work = current;
      guard.unlock();
      std::string wrong;
      run(machine, *work, wrong);
      guard.lock();
      if (!wrong.empty()) error = wrong;
      if (--busy == 0) end.notify_all();
    }
  }

  std::mutex lock;
  std::condition_variable begin, end;
  Work* current = nullptr;
  u64 generation = 0;
  u32 threads = 0, busy = 0;
  std::string error;
};

static Helpers& helpers() {
  u32 wanted = settings.machines ? settings.machines.load() : std::thread::hardware_concurrency();
  static Helpers& made = *new Helpers(std::clamp(wanted, 2u, 8u) - 1);
  return made;
}

static std::string dispatch(Machine& machine, const Command& command, const std::set<Buffer*>& written,
                            const std::map<Buffer*, Snapshot>& snapshots) {
  Work work;
  Launch& launch = work.launch;
  launch.pipeline = command.pipeline;
  launch.command = &command;
  launch.checks = settings.checks;
  launch.group = command.group;
  launch.groups = command.grid;
  launch.written = &written;
  launch.snapshots = &snapshots;
  if (command.inThreads) {
    auto groups = [](u64 threads, u64 each) { return (threads + each - 1) / each; };
    launch.groups = {groups(command.grid.width, command.group.width), groups(command.grid.height, command.group.height),
                     groups(command.grid.depth, command.group.depth)};
  }
  work.count = launch.groups.width * launch.groups.height * launch.groups.depth;

  std::vector<u32> order;
  if (settings.order != Order::Forward) {
    order.resize(work.count);
    for (u32 i = 0; i < work.count; i++) order[i] = settings.order == Order::Backward ? work.count - 1 - i : i;
    if (settings.order == Order::Shuffled) std::shuffle(order.begin(), order.end(), std::mt19937(settings.seed));
    work.order = order.data();
  }
  constexpr u64 WORTH_HELP = 2048;  // threads; below, waking a helper costs more than it gives
  u64 threads = work.count * command.group.width * command.group.height * command.group.depth;
  bool helped = launch.checks == Checks::Off && settings.machines != 1 && work.count > 1 && threads >= WORTH_HELP;
  std::string error;
  if (helped) helpers().start(&work);
  run(machine, work, error);
  if (helped) {
    std::string other = helpers().finish();
    if (error.empty()) error = other;
  }
  return error;
}

// The buffers that dispatches may write until the next barrier. Others need no record of who reads them.
static std::set<Buffer*> writtenFrom(const std::vector<Command>& commands, size_t at) {
  std::set<Buffer*> written;
  for (; at < commands.size() && commands[at].kind != Command::Barrier; at++) {
    if (commands[at].kind != Command::Dispatch) continue;
    for (const Parameter& p : commands[at].pipeline->kernel->parameters) {
      if (p.kind == Parameter::Buffer && !p.readOnly && commands[at].bindings[p.index].buffer) {
        written.insert(commands[at].bindings[p.index].buffer);
      }
    }
  }
  return written;
}

// With unretained references everything that is used must live as long as the command buffer.
static std::string deadReference(const CommandBuffer* buffer) {
  for (Buffer* each : buffer->used) {
    if (!isAlive(each)) return "a buffer was deallocated before the command buffer that uses it had completed";
  }
  for (Pipeline* each : buffer->pipelines) {
    if (!isAlive(each)) return "a pipeline state was deallocated before the command buffer that uses it had completed";
  }
  return "";
}

std::string execute(CommandBuffer* buffer) {
  static Machine& machine = *new Machine(0);
  if (!buffer->error.empty()) return buffer->error;  // it was refused when it was encoded
  std::string error = buffer->retains ? "" : deadReference(buffer);
  std::set<Buffer*> written;
  for (size_t i = 0; i < buffer->commands.size() && error.empty(); i++) {
    const Command& command = buffer->commands[i];
    switch (command.kind) {
      case Command::Barrier:
        machine.newEpoch();
        written = writtenFrom(buffer->commands, i + 1);
        break;
      case Command::BufferBarrier:
        for (Buffer* each : command.resources) machine.newEpoch(each);
        break;
      case Command::Dispatch:
        error = dispatch(machine, command, written, buffer->snapshots);
        break;
    }
  }
  if (!error.empty()) finding("%s", error.c_str());
  return error;
}

}  // namespace softmetal
