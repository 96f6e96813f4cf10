// Code that project.metal and gate_up.metal share: products of matrices with one vector or a few (decoding), with separate threadgroups for
// each vector. Threadgroups for the same rows of a matrix run at the same time, so that the weights come from memory only once. Each of the
// two files is compiled separately, so that only kernels that a model needs are compiled.
//
// The code is compiled for a given value of UNITS, the number of units of a row (see weights.metal) that a lane processes at a time. A
// simdgroup thus processes 1024 * UNITS columns at a time. Each of the 4 simdgroups of a threadgroup computes one row at a time, and
// `loops` rows in all. The length of every loop of a lane is known at compile time, so that all loads of the loop run at once. The weights
// are loaded before the vector is read. The vector is copied into threadgroup memory once, multiplied by the norm's gain. The norm's factor
// is known only after the whole vector was read, so the sums are multiplied by the factor.
constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint THREADS = 32 * SIMDGROUPS;
constant constexpr uint CHUNK = UNITS * 1024;   // number of columns in threadgroup memory at a time
constant constexpr uint SIDES = UNITS * 2;      // sides per lane and row

// Returns the index of column i in threadgroup memory. Gaps ensure that lanes that read 32 or 64 columns apart do not use the same memory
// bank.
inline uint padded(uint i) { return i + i / 32 * 4 + i / 64 * 4; }

// Loads this lane's part of a row from unit `first` on. After the last unit, it loads the last unit again, which is then multiplied with
// zeros.
template <class T>
inline void fetch(device const uchar* row, uint first, uint columns, uint lane, thread Weights16* parts) {
  const uint last = (columns + 31) / 32 - 1;
#pragma unroll
  for (uint i = 0; i < SIDES; i++) load<T>(row, min(first + i / 2 * 32 + lane, last), i % 2, columns, parts[i]);
}

inline void fetch(uint type, device const uchar* row, uint first, uint columns, uint lane, thread Weights16* parts) {
#ifdef TYPE_B
  if (type == 1) return fetch<TYPE_B>(row, first, columns, lane, parts);
#endif
#ifdef TYPE_C
  if (type == 2) return fetch<TYPE_C>(row, first, columns, lane, parts);
#endif
  fetch<TYPE_A>(row, first, columns, lane, parts);
}

// Writes x * gain from column `first` on to threadgroup memory, with zeros after the last column. Returns this thread's part of the sum of
// squares.
inline float stage(
    device const float* x, device const float* gain, bool normed, uint first, uint columns, threadgroup float4* staged, uint thread_index) {
  float4 values[CHUNK / 4 / THREADS], gains[CHUNK / 4 / THREADS];
#pragma unroll
  for (uint j = 0; j < CHUNK / 4 / THREADS; j++) {
    const uint column = first + (j * THREADS + thread_index) * 4;
    values[j] = float4(0.0f);
    gains[j] = float4(1.0f);
    if (column + 4 <= columns) {
      values[j] = *(device const float4*)(x + column);
      if (normed) gains[j] = *(device const float4*)(gain + column);
    } else {
#pragma unroll
      for (uint k = 0; k < 4; k++) {
        if (column + k < columns) {
          values[j][k] = x[column + k];
          if (normed) gains[j][k] = gain[column + k];
        }
      }
    }
  }
  float squares = 0;
#pragma unroll
  for (uint j = 0; j < CHUNK / 4 / THREADS; j++) {
    squares += dot(values[j], values[j]);
    staged[padded((j * THREADS + thread_index) * 4) / 4] = values[j] * gains[j];
  }
  return squares;
}

// Multiplies this lane's part of a row by the columns in threadgroup memory, which begin with unit `first`.
inline float multiply(uint type, thread const Weights16* parts, uint first, threadgroup const float4* staged, uint lane) {
  float product = 0;
#pragma unroll
  for (uint i = 0; i < SIDES; i++) {
    threadgroup const float4* x = staged + padded(column_of(type, first + i / 2 * 32 + lane, i % 2) - first * 32) / 4;
    const float4 x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    const float4 four = x0 + x1 + x2 + x3;
    thread const Weights16& v = parts[i];
    product += v.scale * (dot(v.q[0], x0) + dot(v.q[1], x1) + dot(v.q[2], x2) + dot(v.q[3], x3)) -
               v.minimum * (four.x + four.y + four.z + four.w);
  }
  return product;
}

// Returns 1 / sqrt(mean(x^2) + epsilon) from the threads' parts of the sum of squares. `sums` has room for one float per simdgroup. All
// threads must call this function.
inline float inverse_rms(float squares, uint columns, float epsilon, threadgroup float* sums, uint simdgroup, uint lane) {
  squares = simd_sum(squares);
  if (lane == 0) sums[simdgroup] = squares;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return rsqrt((sums[0] + sums[1] + sums[2] + sums[3]) / float(columns) + epsilon);
}
