// Runs threadgroups: fibers in a chosen order, lanes that wait for each other, barriers that all threads must reach.
#include "machine.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

extern "C" void softmetal_switch(void** from, void* to) __attribute__((visibility("hidden")));

namespace softmetal {

constinit thread_local Machine* machine = nullptr;

Machine::Machine() : fibers(MAX_THREADS) {
  u64 bytes = MAX_THREADS * STACK;
  stacks = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  // Each array has 256 bytes behind it, so that an overrun is not a hit in the next one.
  dynamicMemory = static_cast<char*>(mmap(nullptr, MAX_THREADGROUP_BYTES + BINDINGS * 256, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  resetStacks();
}

// Prepares every fiber so that the first switch to it enters fiberMain.
void Machine::resetStacks() {
  for (u64 i = 0; i < MAX_THREADS; i++) {
    u64* top = reinterpret_cast<u64*>((reinterpret_cast<u64>(stacks) + (i + 1) * STACK) & ~15ull);
    *--top = 0;  // fiberMain never returns
    *--top = reinterpret_cast<u64>(&fiberMain);
    for (int saved = 0; saved < 6; saved++) *--top = 0;
    fibers[i].stack = top;
  }
}

// A fiber runs one thread after another, a threadgroup after the next.
void Machine::fiberMain() {
  for (;;) {
    Machine* m = machine;
    m->code->run(&m->running->thread, m->arguments.data());
    m->running->state = Fiber::Done;
    m->yield();
  }
}

// Goes on with the next fiber in the queue, or with the scheduler if that was the last one.
void Machine::yield() {
  Fiber* self = running;
  if (next < queued && !failed) {
    running = queue[next++];
    softmetal_switch(&self->stack, running->stack);
  } else {
    running = nullptr;
    softmetal_switch(&self->stack, scheduler);
  }
}

std::string Machine::placeOf(Fiber* fiber) const {
  std::string place = format("kernel %s, threadgroup (%u,%u,%u)", launch.pipeline->kernel->name.c_str(), group.position[0],
                             group.position[1], group.position[2]);
  if (fiber) place += format(", thread %u", fiber->thread.index);
  return place;
}

bool Machine::fail(Fiber* fiber, const void* site, std::string what) {
  failed = true;
  std::string line = launch.pipeline->program->lineOf(site);
  message = placeOf(fiber) + (line.empty() ? "" : ", " + line) + ": " + what;
  return false;
}

void Machine::fault(const void* site, const char* pattern, ...) {
  char text[1024];
  va_list list;
  va_start(list, pattern);
  vsnprintf(text, sizeof text, pattern, list);
  va_end(list);
  failed = true;
  message = text;
  faultSite = site;
  Fiber* self = running;
  softmetal_switch(&self->stack, scheduler);  // for ever
  abort();
}

void Machine::begin(const Launch& l) {
  launch = l;
  machine = this;
  const Command& command = *l.command;
  const Kernel& kernel = *l.pipeline->kernel;
  code = &l.pipeline->program->code(kernel, l.checked);
  arguments.assign(kernel.parameters.size(), 0);
  regions.clear();
  failed = false;
  size_t shadows = 0;
  auto threadgroupRegion = [&](char* at, u64 bytes, int index, const char* name) {
    Shadow* shadow = nullptr;
    if (l.checked) {
      if (shadows == groupShadows.size()) groupShadows.push_back(std::make_unique<Shadow>(MAX_THREADGROUP_BYTES));
      shadow = groupShadows[shadows++].get();
      shadow->shift = 2;  // its cells are of the past, whatever they covered
    }
    regions.push_back({Region::Threadgroup, at, bytes, at, shadow, false, index, name, nullptr});
  };
  u64 dynamic = 0;
  for (size_t i = 0; i < kernel.parameters.size(); i++) {
    const Parameter& p = kernel.parameters[i];
    if (p.kind == Parameter::Buffer) {
      const Binding& binding = command.bindings[p.index];
      if (binding.kind == Binding::Of) {
        Buffer* b = binding.buffer;
        char* at = b->contents + binding.offset;
        arguments[i] = reinterpret_cast<u64>(at);
        Shadow* shadow = nullptr;
        if (l.checked && l.raceChecked(b)) {
          if (!b->shadow) b->shadow = std::make_unique<Shadow>(b->bytes);
          shadow = b->shadow.get();
        }
        const std::vector<std::pair<u64, u64>>* changed = nullptr;
        auto snapshot = l.snapshots->find(b);
        if (snapshot != l.snapshots->end() && !snapshot->second.changed.empty()) changed = &snapshot->second.changed;
        regions.push_back({Region::Device, at, b->bytes - binding.offset, b->contents, shadow, p.readOnly, p.index, p.name.c_str(), changed});
      } else {
        char* at = const_cast<char*>(binding.bytes.data());
        arguments[i] = reinterpret_cast<u64>(at);
        regions.push_back({Region::Device, at, binding.bytes.size(), at, nullptr, true, p.index, p.name.c_str(), nullptr});
      }
    } else if (p.kind == Parameter::Threadgroup) {
      char* at = dynamicMemory + dynamic;
      arguments[i] = reinterpret_cast<u64>(at);
      threadgroupRegion(at, command.threadgroupBytes[p.index], p.index, p.name.c_str());
      dynamic += command.threadgroupBytes[p.index] + 256;
    }
  }
  for (const Code::Array& array : code->arrays) threadgroupRegion(array.address, array.bytes, -1, array.name.c_str());
  if (code->constants) {
    char* at = const_cast<char*>(code->constants);
    regions.push_back({Region::Constants, at, code->constantBytes, at, nullptr, true, -1, "", nullptr});
  }

  static Region nowhere{};
  std::fill_n(bySite, SITES, &nowhere);
  const u64 threads[3] = {command.group.width, command.group.height, command.group.depth};
  const u64 groups[3] = {command.grid.width, command.grid.height, command.grid.depth};
  for (int k = 0; k < 3; k++) {
    group.threads[k] = threads[k];
    group.groups[k] = groups[k];
  }
  threadCount = threads[0] * threads[1] * threads[2];
  simdgroupCount = (threadCount + SIMD_WIDTH - 1) / SIMD_WIDTH;
  for (u32 i = 0; i < threadCount; i++) {
    msl_thread& t = fibers[i].thread;
    t.group = &group;
    t.index = i;
    t.position[0] = i % group.threads[0];
    t.position[1] = i / group.threads[0] % group.threads[1];
    t.position[2] = i / (group.threads[0] * group.threads[1]);
  }
  random.seed(settings.seed);
}

bool Machine::runGroup(u64 n) {
  groupNumber = n;
  group.position[0] = n % group.groups[0];
  group.position[1] = n / group.groups[0] % group.groups[1];
  group.position[2] = n / (static_cast<u64>(group.groups[0]) * group.groups[1]);
  for (u32 i = 0; i < threadCount; i++) {
    fibers[i].state = Fiber::Ready;
    fibers[i].simdBarriers = 0;
  }
  groupStart = groupBarrier = deviceBarrier = ++stamp;
  for (const Region& region : regions) {  // threadgroup memory starts as garbage: NaN in float and in half
    if (region.kind == Region::Threadgroup) memset(region.begin, 0xff, region.bytes);
  }

  u32 order[MAX_THREADS / SIMD_WIDTH];
  Order chosen = settings.order;
  for (u32 i = 0; i < simdgroupCount; i++) order[i] = chosen == Order::Backward ? simdgroupCount - 1 - i : i;
  do {
    if (chosen == Order::Shuffled) std::shuffle(order, order + simdgroupCount, random);
    for (u32 i = 0; i < simdgroupCount; i++) {
      if (!runSimdgroup(order[i])) {
        resetStacks();
        return false;
      }
    }
  } while (atBarrier());
  if (failed) resetStacks();
  return !failed;
}

// Runs the lanes of a simdgroup until all have returned or wait at a threadgroup barrier.
bool Machine::runSimdgroup(u32 simdgroup) {
  u32 first = simdgroup * SIMD_WIDTH, count = std::min<u32>(SIMD_WIDTH, threadCount - first);
  Order chosen = settings.order;
  for (;;) {
    queued = next = 0;
    for (Fiber *fiber = &fibers[first], *end = fiber + count; fiber != end; fiber++) {
      if (fiber->state == Fiber::Ready) queue[queued++] = fiber;
    }
    if (chosen == Order::Backward) std::reverse(queue, queue + queued);
    if (chosen == Order::Shuffled) std::shuffle(queue, queue + queued, random);
    if (queued) {
      running = queue[next++];
      softmetal_switch(&scheduler, running->stack);
      if (failed) return fail(running, faultSite, message);
    }
    Fiber* waiting[SIMD_WIDTH];
    Fiber* atBarrier = nullptr;
    Fiber* elsewhere = nullptr;
    int lanes = 0;
    for (Fiber *fiber = &fibers[first], *end = fiber + count; fiber != end; fiber++) {
      if (fiber->state == Fiber::Simd) {
        waiting[lanes++] = fiber;
        if (fiber->site != waiting[0]->site || fiber->operation != waiting[0]->operation) elsewhere = fiber;
      } else if (fiber->state == Fiber::Barrier) {
        atBarrier = fiber;
      }
    }
    if (!lanes) return true;
    if (atBarrier) {
      return fail(waiting[0], waiting[0]->site,
                  format("divergence: %d lanes of simdgroup %u wait in a simdgroup operation, others at threadgroup_barrier", lanes, simdgroup));
    }
    if (elsewhere) {
      return fail(elsewhere, elsewhere->site,
                  format("divergence: lanes of simdgroup %u wait in different simdgroup operations", simdgroup));
    }
    operate(waiting, lanes);
    if (failed) return false;
    for (int i = 0; i < lanes; i++) waiting[i]->state = Fiber::Ready;
  }
}

// Whether the threads wait at a barrier: then they may go on. False if all have returned, or on a failure.
bool Machine::atBarrier() {
  Fiber* first = nullptr;
  u32 waiting = 0;
  for (u32 i = 0; i < threadCount; i++) {
    Fiber& fiber = fibers[i];
    if (fiber.state != Fiber::Barrier) continue;
    if (!first) first = &fiber;
    waiting++;
    if (fiber.site != first->site) return fail(&fiber, fiber.site, "divergence: threads wait at different threadgroup_barriers");
  }
  if (!first) return false;
  if (waiting < threadCount) {
    return fail(first, first->site, format("divergence: threadgroup_barrier reached by %u of %u threads, the others have returned", waiting, threadCount));
  }
  constexpr u32 DEVICE = 1, THREADGROUP = 2;  // mem_flags
  stamp++;
  if (first->argument & THREADGROUP) groupBarrier = stamp;
  if (first->argument & DEVICE) deviceBarrier = stamp;
  for (u32 i = 0; i < threadCount; i++) fibers[i].state = Fiber::Ready;
  return true;
}

}  // namespace softmetal

using namespace softmetal;

EXPORT u32 msl_lane() { return machine->running->thread.index % SIMD_WIDTH; }

EXPORT void msl_barrier(u32 flags) {
  Machine* m = machine;
  Fiber* self = m->running;
  self->state = Fiber::Barrier;
  self->argument = flags;
  self->site = __builtin_return_address(0);
  m->yield();
}

EXPORT void msl_simd(u32 operation, const void* in, void* out, u32 argument) {
  Machine* m = machine;
  Fiber* self = m->running;
  self->state = Fiber::Simd;
  self->operation = operation;
  self->argument = argument;
  self->in = in;
  self->out = out;
  self->site = __builtin_return_address(0);
  m->yield();
}
