// What the lanes of a simdgroup compute together, once all of them are there.
#include <cmath>
#include <cstring>
#include <utility>

#include "machine.h"

namespace softmetal {

template <class T> static T valueOf(const Fiber* lane) {
  T value;
  memcpy(&value, lane->in, sizeof value);
  return value;
}

template <class T, class F> static void reduce(Fiber** lanes, int count, F combine) {
  T result = valueOf<T>(lanes[0]);
  for (int i = 1; i < count; i++) result = combine(result, valueOf<T>(lanes[i]));
  for (int i = 0; i < count; i++) memcpy(lanes[i]->out, &result, sizeof result);
}

// Adds pairs of lanes, as hardware does: closer to it, and more exact, than one after another.
static void sum(Fiber** lanes, int count) {
  float values[SIMD_WIDTH] = {};
  for (int i = 0; i < count; i++) values[i] = valueOf<float>(lanes[i]);
  for (int half = SIMD_WIDTH / 2; half; half /= 2) {
    for (int i = 0; i < half; i++) values[i] += values[i + half];
  }
  for (int i = 0; i < count; i++) memcpy(lanes[i]->out, values, sizeof(float));
}

// argument: bytes of the value in the low 8 bits, above them the lane to take it from.
void Machine::shuffleLanes(Fiber** lanes, int count) {
  char values[SIMD_WIDTH][16];
  bool present[SIMD_WIDTH] = {};
  u32 bytes = lanes[0]->argument & 255;
  for (int i = 0; i < count; i++) {
    u32 lane = lanes[i]->thread.index % SIMD_WIDTH;
    memcpy(values[lane], lanes[i]->in, bytes);
    present[lane] = true;
  }
  for (int i = 0; i < count; i++) {
    u32 from = lanes[i]->argument >> 8;
    if (from >= SIMD_WIDTH || !present[from]) {
      fail(lanes[i], lanes[i]->site, format("a shuffle reads lane %u, which takes no part in it", from));
      return;
    }
    memcpy(lanes[i]->out, values[from], bytes);
  }
}

// Lane l holds elements (l / 4, l % 4 * 2) and the one to its right; see msl_matrix.h.
void Machine::multiplyAccumulate(Fiber** lanes, int count) {
  if (count != SIMD_WIDTH) {
    fail(lanes[0], lanes[0]->site, format("divergence: simdgroup_multiply_accumulate with %d of 32 lanes", count));
    return;
  }
  float a[8][8], b[8][8], c[8][8];
  for (u32 lane = 0; lane < SIMD_WIDTH; lane++) {
    const float* in = static_cast<const float*>(lanes[lane]->in);
    u32 row = lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < 2; i++) {
      a[row][column + i] = in[i];
      b[row][column + i] = in[2 + i];
      c[row][column + i] = in[4 + i];
    }
  }
  for (int row = 0; row < 8; row++) {
    for (int k = 0; k < 8; k++) {
      for (int column = 0; column < 8; column++) c[row][column] += a[row][k] * b[k][column];
    }
  }
  for (u32 lane = 0; lane < SIMD_WIDTH; lane++) memcpy(lanes[lane]->out, &c[lane / 4][lane % 4 * 2], 2 * sizeof(float));
}

void Machine::operate(Fiber** lanes, int count) {
  switch (lanes[0]->operation) {
    case MSL_SUM: sum(lanes, count); break;
    case MSL_MAX: reduce<float>(lanes, count, [](float x, float y) { return std::fmax(x, y); }); break;
    case MSL_MIN: reduce<u32>(lanes, count, [](u32 x, u32 y) { return std::min(x, y); }); break;
    case MSL_SHUFFLE: shuffleLanes(lanes, count); break;
    case MSL_MULTIPLY_ACCUMULATE: multiplyAccumulate(lanes, count); break;
    case MSL_BARRIER:
      for (int i = 0; i < count; i++) {
        if (lanes[i]->argument) lanes[i]->simdBarriers++;  // mem_none orders nothing
      }
      break;
  }
}

}  // namespace softmetal
