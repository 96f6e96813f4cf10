// The simulated GPU core: runs the threads of one threadgroup at a time as fibers.
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "classes.h"
#include "memory.h"
#define SOFTMETAL_HOST
#include "include/launch.h"

namespace softmetal {

struct Fiber {
  enum State { Ready, Simd, Barrier, Done } state = Ready;
  void* stack = nullptr;       // where it was left
  msl_thread thread{};
  // Why it waits:
  u32 operation = 0, argument = 0;
  const void* in = nullptr;
  void* out = nullptr;
  const void* site = nullptr;  // return address: where in the kernel
  u32 simdBarriers = 0;        // passed in this threadgroup
};

// A dispatch that has been checked and is ready to run.
struct Launch {
  Pipeline* pipeline;
  const Command* command;
  bool checked;
  bool raceChecked(const Buffer* buffer) const { return written && written->count(const_cast<Buffer*>(buffer)); }
  const std::set<Buffer*>* written;                        // buffers that a dispatch of this epoch may write
  const std::map<Buffer*, Snapshot>* snapshots;
};

class Machine {
 public:
  Machine();
  // Prepares for the threadgroups of a dispatch. Throws std::runtime_error if the kernel cannot be compiled.
  void begin(const Launch& launch);
  // Runs one threadgroup; false if the kernel did what it must not: then error() tells what.
  bool runGroup(u64 group);
  const std::string& error() const { return message; }

  void newEpoch();             // all that is done from now on comes after all that was done
  Stamp now() const { return stamp; }

  // Called from fibers.
  void yield();
  [[noreturn]] void fault(const void* site, const char* pattern, ...) __attribute__((format(printf, 3, 4)));
  void access(char* address, u32 bytes, bool write, const void* site);

  Fiber* running = nullptr;

 private:
  static constexpr u64 STACK = 64 * 1024 + 192;  // not a power of two, else all stacks share the same cache lines
  static void fiberMain();
  void resetStacks();
  bool runSimdgroup(u32 simdgroup);
  bool atBarrier();
  bool fail(Fiber* fiber, const void* site, std::string what);
  void operate(Fiber** lanes, int count);
  void shuffleLanes(Fiber** lanes, int count);
  void multiplyAccumulate(Fiber** lanes, int count);
  void checkRace(Region& region, char* address, u32 bytes, bool write, const void* site);
  bool ordered(const Region& region, Stamp when, u32 who) const;
  void judge(char* address, u32 bytes, bool write, const void* site);
  [[noreturn]] void outOfBounds(char* address, u32 bytes, bool write, const void* site);
  std::string nameOf(const Region& region, const char* address) const;
  std::string placeOf(Fiber* fiber) const;

  char* stacks;
  std::vector<Fiber> fibers;
  void* scheduler = nullptr;   // its stack
  Fiber* queue[SIMD_WIDTH];    // to run one after another
  int queued = 0, next = 0;
  u32 threadCount = 0, simdgroupCount = 0;

  Launch launch{};
  const Code* code = nullptr;
  std::vector<u64> arguments;
  char* dynamicMemory;         // for [[threadgroup(n)]]
  msl_group group{};
  u64 groupNumber = 0;
  std::mt19937 random;
  bool failed = false;
  std::string message;
  const void* faultSite = nullptr;

  std::vector<Region> regions;
  static constexpr u32 SITES = 256;
  Region* bySite[SITES];       // the region that an instruction touched last: mostly it does so again
  std::vector<std::unique_ptr<Shadow>> groupShadows;
  Stamp stamp = 1, horizon = 1, groupStart = 1, groupBarrier = 1, deviceBarrier = 1;
};

// The machine that this thread of the operating system runs.
extern constinit thread_local Machine* machine __attribute__((visibility("hidden")));

}  // namespace softmetal
