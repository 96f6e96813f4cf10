// Judges every access to memory before it happens: bounds, threadgroup memory that nobody wrote, races.
#include "memory.h"

#include <sys/mman.h>

#include <cstring>

#include "machine.h"

namespace softmetal {

static constexpr u32 SEVERAL = 0xffffffff;        // readers
static constexpr u32 THREAD = MAX_THREADS - 1;    // the low bits of who: thread in the threadgroup
static constexpr u32 GANG = 1u << 31;             // several lanes of the thread's simdgroup read
// Between them: the simdgroup barriers that the thread had passed.

Shadow::Shadow(u64 size) : bytes(size), mapped(((size >> 2) + 1) * sizeof(Cell)) {
  cells = static_cast<Cell*>(mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

Shadow::~Shadow() { munmap(cells, mapped); }

void Shadow::refine(u32 finer) {
  u64 count = (bytes >> shift) + 1, each = 1u << (shift - finer), newMapped = ((bytes >> finer) + 1) * sizeof(Cell);
  newMapped = std::max<u64>(newMapped, count * each * sizeof(Cell));
  Cell* split = static_cast<Cell*>(mmap(nullptr, newMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  for (u64 i = 0; i < count; i++) {
    if (!cells[i].written && !cells[i].read) continue;
    for (u64 k = 0; k < each; k++) split[i * each + k] = cells[i];
  }
  munmap(cells, mapped);
  cells = split;
  mapped = newMapped;
  shift = finer;
}

void Machine::newEpoch() { horizon = ++stamp; }

// Whether an earlier access is known to have happened before this one, or cannot hurt it.
inline bool Machine::ordered(const Region& region, Stamp when, u32 who) const {
  bool device = region.kind == Region::Device;
  if (when < (device ? horizon : groupBarrier)) return true;
  if (when < groupStart) return false;                       // another threadgroup, or a dispatch beside this one
  if (device && when < deviceBarrier) return true;
  if (who == SEVERAL) return false;
  u32 me = running->thread.index, other = who & THREAD;
  if (other == me && !(who & GANG)) return true;
  // A simdgroup_barrier orders the lanes of a simdgroup.
  return other / SIMD_WIDTH == me / SIMD_WIDTH && ((who & ~GANG) >> 10) < running->simdBarriers;
}

std::string Machine::nameOf(const Region& region, const char* address) const {
  long offset = address - region.begin;
  switch (region.kind) {
    case Region::Device: return format("buffer(%d) '%s' byte %ld", region.index, region.name, offset);
    case Region::Threadgroup: return format("threadgroup memory '%s' byte %ld", region.name, offset);
    default: return format("constants byte %ld", offset);
  }
}

static std::string whoOf(u32 who) {
  return who == SEVERAL ? "several threads" : format("thread %u of its threadgroup", who & THREAD);
}

void Machine::checkRace(Region& region, char* address, u32 bytes, bool write, const void* site) {
  Shadow& shadow = *region.shadow;
  u64 offset = address - region.base;
  u32 fine = (1u << shadow.shift) - 1;
  if ((offset | bytes) & fine) {
    shadow.refine((offset | bytes) & 1 ? 0 : 1);
  }
  u32 me = running->thread.index | running->simdBarriers << 10;
  u64 end = (offset + bytes) >> shadow.shift;
  for (u64 i = offset >> shadow.shift; i < end; i++) {
    Cell& cell = shadow.cells[i];
    if (!ordered(region, cell.written, cell.writer)) {
      fault(site, "race on %s: %s after a write by %s%s, with no barrier between",
            nameOf(region, region.base + (i << shadow.shift)).c_str(), write ? "write" : "read", whoOf(cell.writer).c_str(),
            cell.written < groupStart ? " (another threadgroup or dispatch)" : "");
    }
    bool readOrdered = ordered(region, cell.read, cell.reader);
    if (write) {
      if (!readOrdered) {
        fault(site, "race on %s: write after a read by %s%s, with no barrier between",
              nameOf(region, region.base + (i << shadow.shift)).c_str(), whoOf(cell.reader).c_str(),
              cell.read < groupStart ? " (another threadgroup or dispatch)" : "");
      }
      cell.written = stamp;
      cell.writer = me;
    } else {
      if (region.kind == Region::Threadgroup && cell.written < groupStart) {
        fault(site, "read of %s, which nothing in this threadgroup wrote", nameOf(region, region.base + (i << shadow.shift)).c_str());
      }
      if (readOrdered) {
        cell.read = stamp;
        cell.reader = me;
      } else if (cell.reader != SEVERAL && cell.read >= groupStart &&
                 (cell.reader & THREAD) / SIMD_WIDTH == running->thread.index / SIMD_WIDTH) {
        cell.reader = me | GANG;
      } else {
        cell.reader = SEVERAL;  // the stamp stays that of the first
      }
    }
  }
}

void Machine::outOfBounds(char* address, u32 bytes, bool write, const void* site) {
  const char* what = write ? "write" : "read";
  const Region* nearest = nullptr;
  u64 best = 1 << 20;  // further away it is a wild pointer
  for (const Region& region : regions) {
    u64 distance = address < region.begin ? region.begin - address
                   : address >= region.begin + region.bytes ? address - (region.begin + region.bytes) : 0;
    if (distance < best) {
      best = distance;
      nearest = &region;
    }
  }
  if (!nearest) fault(site, "%s of %u bytes out of bounds: %p is in no buffer", what, bytes, static_cast<void*>(address));
  fault(site, "%s of %u bytes out of bounds: %s, which has %lu bytes", what, bytes, nameOf(*nearest, address).c_str(), nearest->bytes);
}

static bool contains(const Region& region, const char* address, u32 bytes) {
  u64 offset = address - region.begin;  // huge if it lies before
  return offset < region.bytes && region.bytes - offset >= bytes;
}

// All that is not a plain read or write inside the region that the same instruction touched before.
void Machine::judge(char* address, u32 bytes, bool write, const void* site) {
  Region* found = nullptr;
  bool readOnly = false;
  for (Region& region : regions) {
    if (!contains(region, address, bytes)) continue;
    readOnly |= write && region.readOnly;
    if (write && region.readOnly) continue;
    found = &region;
    break;
  }
  if (!found && readOnly) fault(site, "write of %u bytes to memory that the kernel declared const", bytes);
  if (!found) outOfBounds(address, bytes, write, site);
  bySite[reinterpret_cast<u64>(site) % SITES] = found;
  if (found->changedByCpu) {
    u64 offset = address - found->base;
    for (auto& [from, to] : *found->changedByCpu) {
      if (offset < to && offset + bytes > from) {
        fault(site, "%s of %s, which the CPU wrote between commit and completion", write ? "write" : "read", nameOf(*found, address).c_str());
      }
    }
  }
  if (found->shadow) checkRace(*found, address, bytes, write, site);
}

inline __attribute__((always_inline)) void Machine::access(char* address, u32 bytes, bool write, const void* site) {
  if (static_cast<u64>(address - stacks) < MAX_THREADS * STACK) return;  // variables of the thread
  Region& region = *bySite[reinterpret_cast<u64>(site) % SITES];
  if (!contains(region, address, bytes) || region.changedByCpu || (write && region.readOnly)) {
    judge(address, bytes, write, site);
  } else if (region.shadow) {
    checkRace(region, address, bytes, write, site);
  }
}

}  // namespace softmetal

using namespace softmetal;

// clang's thread sanitizer calls these before every access; here they are something else than its run time.
#define SITE __builtin_return_address(0)
#define ACCESS(name, bytes, write) \
  EXPORT void name(void* address) { machine->access(static_cast<char*>(address), bytes, write, SITE); }
#define ACCESSES(bytes)                                      \
  ACCESS(__tsan_read##bytes, bytes, false)                   \
  ACCESS(__tsan_write##bytes, bytes, true)                   \
  ACCESS(__tsan_unaligned_read##bytes, bytes, false)         \
  ACCESS(__tsan_unaligned_write##bytes, bytes, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
EXPORT void __tsan_init() {}
EXPORT void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  machine->access(const_cast<char*>(static_cast<const char*>(from)), bytes, false, SITE);
  machine->access(static_cast<char*>(to), bytes, true, SITE);
  return memcpy(to, from, bytes);
}
EXPORT void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  machine->access(const_cast<char*>(static_cast<const char*>(from)), bytes, false, SITE);
  machine->access(static_cast<char*>(to), bytes, true, SITE);
  return memmove(to, from, bytes);
}
EXPORT void* __tsan_memset(void* to, int value, size_t bytes) {
  machine->access(static_cast<char*>(to), bytes, true, SITE);
  return memset(to, value, bytes);
}

// clang's undefined behaviour sanitizer calls these.
#define UNDEFINED(name, what)                                                        \
  EXPORT void __ubsan_handle_##name##_minimal() { machine->fault(SITE, what); }
UNDEFINED(out_of_bounds, "array index out of bounds")
UNDEFINED(type_mismatch, "access to a misaligned address")
UNDEFINED(alignment_assumption, "access to a misaligned address")
UNDEFINED(divrem_overflow, "integer division by zero")
UNDEFINED(shift_out_of_bounds, "shift by more bits than there are")
