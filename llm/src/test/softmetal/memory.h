// The memory that a dispatch may touch, and a record for every word of it of who touched it last.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "settings.h"

namespace softmetal {

// Time is counted in stamps: it moves on at every epoch of device memory (a dispatch that is ordered after all before it),
// at the start of every threadgroup, and at every barrier in one.
using Stamp = u32;

// The last write and the last read of some bytes: when, and by which thread of its threadgroup.
struct Cell {
  Stamp written;
  u32 writer;
  Stamp read;
  u32 reader;
};

// Cells for a stretch of memory. One cell covers 4 bytes until a smaller access comes, then 2 or 1.
class Shadow {
 public:
  explicit Shadow(u64 bytes);
  ~Shadow();
  Shadow(const Shadow&) = delete;
  void refine(u32 shift);   // from now on a cell covers 1 << shift bytes

  Cell* cells;
  u32 shift = 2;

 private:
  u64 bytes, mapped;
};

// A stretch of memory that a dispatch may touch.
struct Region {
  enum Kind { Device, Threadgroup, Constants } kind;
  char* begin;
  u64 bytes;
  char* base;               // where the shadow begins: of the buffer, not of the binding
  Shadow* shadow;           // null: nobody writes here, or races are not checked
  bool readOnly;
  int index;                // of the binding; -1: an array in the kernel
  const char* name;
  const std::vector<std::pair<u64, u64>>* changedByCpu;  // since the commit; null: nothing
};

}  // namespace softmetal
