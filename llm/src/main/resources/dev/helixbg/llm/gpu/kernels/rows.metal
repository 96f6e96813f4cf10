// Kernels that compute whole rows of floats.
constant constexpr uint THREADS = 256;

// Computes target[v] = norm(x[row_of[v]]), with one threadgroup per vector.
//
//   x   any x x_stride     gain   columns     row_of   vectors     target   vectors x target_stride
struct NormaliseShape {
  uint columns;
  uint x_stride;
  uint target_stride;
  float epsilon;
};

[[max_total_threads_per_threadgroup(256)]]
kernel void normalise(
    device const float* x [[buffer(0)]],
    device const float* gain [[buffer(1)]],
    device const uint* row_of [[buffer(2)]],
    device float* target [[buffer(3)]],
    constant NormaliseShape& shape [[buffer(4)]],
    uint vector [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float parts[THREADS / 32];
  device const float* v = x + ulong(row_of[vector]) * shape.x_stride;
  float squares = 0;
  for (uint i = thread_index; i < shape.columns; i += THREADS) squares += v[i] * v[i];
  squares = simd_sum(squares);
  if (lane == 0) parts[simdgroup] = squares;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float total = 0;
  for (uint i = 0; i < THREADS / 32; i++) total += parts[i];
  const float scale = rsqrt(total / float(shape.columns) + shape.epsilon);
  for (uint i = thread_index; i < shape.columns; i += THREADS) {
    target[ulong(vector) * shape.target_stride + i] = v[i] * scale * gain[i];
  }
}

// Computes target[v] = silu(gates[v]) * target[v].
//
//   gates, target   vectors x stride     grid   ceil(columns / 256), vectors
struct GateShape {
  uint columns;
  uint stride;
};

[[max_total_threads_per_threadgroup(256)]]
kernel void gate(
    device const float* gates [[buffer(0)]],
    device float* target [[buffer(1)]],
    constant GateShape& shape [[buffer(2)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  const uint column = group.x * THREADS + thread_index;
  if (column >= shape.columns) return;
  const ulong i = ulong(group.y) * shape.stride + column;
  target[i] = gates[i] / (1 + exp(-gates[i])) * target[i];
}

// Copies target[v] = x[row_of[v]].
//
//   x   any x x_stride     row_of   vectors     target   vectors x target_stride
//   grid   ceil(columns / 256), vectors
struct KeepShape {
  uint columns;
  uint x_stride;
  uint target_stride;
};

[[max_total_threads_per_threadgroup(256)]]
kernel void keep_rows(
    device const float* x [[buffer(0)]],
    device const uint* row_of [[buffer(1)]],
    device float* target [[buffer(2)]],
    constant KeepShape& shape [[buffer(3)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  const uint column = group.x * THREADS + thread_index;
  if (column >= shape.columns) return;
  target[ulong(group.y) * shape.target_stride + column] =
      x[ulong(row_of[group.y]) * shape.x_stride + column];
}

// Returns whether a logit is larger than another logit, or equal to it with a smaller place (index in the row).
inline bool comes_first(float value, uint place, float other, uint other_place) {
  return value > other || (value == other && place < other_place);
}

constant constexpr uint NOWHERE = 0xFFFFFFFFu;

// Finds the largest of all threads' candidates, and returns it to all threads. `values` and `places` have room for one entry per simdgroup.
inline void first_of_all(
    thread float& value, thread uint& place, threadgroup float* values, threadgroup uint* places, uint simdgroup, uint lane) {
  const float largest = simd_max(value);
  const uint first = simd_min(value == largest ? place : NOWHERE);
  if (lane == 0) {
    values[simdgroup] = largest;
    places[simdgroup] = first;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  value = values[0];
  place = places[0];
  for (uint i = 1; i < THREADS / 32; i++) {
    if (comes_first(values[i], places[i], value, place)) {
      value = values[i];
      place = places[i];
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
}

// The next two kernels find the largest logit of a row and its first place, in two steps. First, a row is divided into parts, and a
// threadgroup per part finds the largest logit of the part. Then one threadgroup finds the largest logit among the parts. Rows of one part
// need only the first step.
//
//   logits   rows x stride     values, places   rows x parts     ids   rows
//   grid     argmax_part: parts, rows     argmax: rows
struct LogitsShape {
  uint columns;
  uint stride;
  uint parts;      // number of parts of PART columns
};

constant constexpr uint EACH = 4;                // logits per thread
constant constexpr uint PART = EACH * THREADS;
constant constexpr uint EACH_PART = 8;           // parts that a thread loads at once

[[max_total_threads_per_threadgroup(256)]]
kernel void argmax_part(
    device const float* logits [[buffer(0)]],
    device float* values [[buffer(1)]],
    device uint* places [[buffer(2)]],
    device uint* ids [[buffer(3)]],
    constant LogitsShape& shape [[buffer(4)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float own_values[THREADS / 32];
  threadgroup uint own_places[THREADS / 32];
  device const float* v = logits + ulong(group.y) * shape.stride;
  float best = -FLT_MAX;
  uint place = NOWHERE;
#pragma unroll
  for (uint j = 0; j < EACH; j++) {
    const uint i = group.x * PART + j * THREADS + thread_index;
    const float value = v[min(i, shape.columns - 1)];
    if (i < shape.columns && comes_first(value, i, best, place)) {
      best = value;
      place = i;
    }
  }
  first_of_all(best, place, own_values, own_places, simdgroup, lane);
  if (thread_index > 0) return;
  if (shape.parts == 1) {
    ids[group.y] = place < shape.columns ? place : 0;
  } else {
    values[group.y * shape.parts + group.x] = best;
    places[group.y * shape.parts + group.x] = place;
  }
}

[[max_total_threads_per_threadgroup(256)]]
kernel void argmax(
    device const float* values [[buffer(0)]],
    device const uint* places [[buffer(1)]],
    device uint* ids [[buffer(2)]],
    constant LogitsShape& shape [[buffer(3)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float own_values[THREADS / 32];
  threadgroup uint own_places[THREADS / 32];
  float best = -FLT_MAX;
  uint place = NOWHERE;
  for (uint first = thread_index; first < shape.parts; first += EACH_PART * THREADS) {
    float some[EACH_PART];
    uint at[EACH_PART];
#pragma unroll
    for (uint j = 0; j < EACH_PART; j++) {
      const uint i = row * shape.parts + min(first + j * THREADS, shape.parts - 1);
      some[j] = values[i];
      at[j] = places[i];
    }
#pragma unroll
    for (uint j = 0; j < EACH_PART; j++) {
      if (comes_first(some[j], at[j], best, place)) {
        best = some[j];
        place = at[j];
      }
    }
  }
  first_of_all(best, place, own_values, own_places, simdgroup, lane);
  if (thread_index == 0) ids[row] = place < shape.columns ? place : 0;   // if all logits are NaN, place is NOWHERE
}

// Copies whole blocks of keys and values. This is needed before a sequence continues in a block that other sequences also read.
//
//   memory   blocks x block_fours     copies   {from, to}     grid   ceil(block_fours / 256), copies
struct CopyShape {
  uint block_fours;   // number of 16-byte pieces per block
};

[[max_total_threads_per_threadgroup(256)]]
kernel void copy_blocks(
    device uint4* memory [[buffer(0)]],
    device const uint2* copies [[buffer(1)]],
    constant CopyShape& shape [[buffer(2)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  const uint i = group.x * THREADS + thread_index;
  if (i >= shape.block_fours) return;
  const uint2 copy = copies[group.y];
  memory[ulong(copy.y) * shape.block_fours + i] = memory[ulong(copy.x) * shape.block_fours + i];
}
