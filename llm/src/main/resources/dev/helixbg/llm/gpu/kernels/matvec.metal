// Products of matrices with few vectors, each row of weights read once per vector: decoding.
//
// Compiled for UNITS: so many units of a row a lane takes at a time, 1024 UNITS columns a simdgroup. A threadgroup has 4 simdgroups, each
// a row, and `loops` such sets of rows. Every loop of a lane has a known length, so that all its loads are under way at once, and the
// weights are asked for before the vector is looked at. The vector is brought into threadgroup memory once, times the norm's gain;
// the norm's factor, known only when all of it was seen, is applied to the sums.
constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint THREADS = 32 * SIMDGROUPS;
constant constexpr uint CHUNK = UNITS * 1024;   // columns in threadgroup memory at a time
constant constexpr uint SIDES = UNITS * 2;      // of a lane and a row

// Where column i lies: spare places, so that lanes that read 32 or 64 apart do not meet in one bank.
inline uint padded(uint i) { return i + i / 32 * 4 + i / 64 * 4; }

// The lane's part of a row from unit `first` on; past the last unit that one again, which is multiplied with zeros.
template <class T>
inline void fetch(device const uchar* row, uint first, uint columns, uint lane, thread Weights16* parts) {
  const uint last = (columns + 31) / 32 - 1;
#pragma unroll
  for (uint i = 0; i < SIDES; i++) T::load(row, min(first + i / 2 * 32 + lane, last), i % 2, columns, parts[i]);
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

// Brings x * gain from column `first` on into threadgroup memory, zeros past the last; the thread's share of the sum of squares.
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

// The lane's part of a row times the staged columns, which begin with unit `first`.
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

// 1 / sqrt(mean(x^2) + epsilon) of the threads' shares; `sums` has a place per simdgroup. All threads must come.
inline float inverse_rms(float squares, uint columns, float epsilon, threadgroup float* sums, uint simdgroup, uint lane) {
  squares = simd_sum(squares);
  if (lane == 0) sums[simdgroup] = squares;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return rsqrt((sums[0] + sums[1] + sums[2] + sums[3]) / float(columns) + epsilon);
}

// Up to three matrices W of the same columns:  y[v] = W * n  or  y[v] += W * n,  n = x[row_of[v]], normalised if `normed`.
//
// If it is to find the largest (of the first matrix), each threadgroup also leaves the largest of its rows and its place, the first of equals.
//
//   x      any x x_stride floats     w0..w2   rows x columns      y0..y2   vectors x y_stride
//   gain   columns                   row_of   vectors             grid     groups of 4 loops rows of each matrix, vectors
//   values, places   vectors x groups
struct ProjectShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint normed;
  uint adds;
  uint loops;        // 1 if a row is longer than a chunk
  uint finds;        // whether it looks for the largest
  uint rows[3];      // 0 where there is no matrix
  uint row_bytes[3];
  uint type[3];
  uint y_stride[3];
};

[[max_total_threads_per_threadgroup(128)]]
kernel void project(
    device const float* x [[buffer(0)]],
    device const float* gain [[buffer(1)]],
    device const uchar* w0 [[buffer(2)]],
    device const uchar* w1 [[buffer(3)]],
    device const uchar* w2 [[buffer(4)]],
    device float* y0 [[buffer(5)]],
    device float* y1 [[buffer(6)]],
    device float* y2 [[buffer(7)]],
    device const uint* row_of [[buffer(8)]],
    constant ProjectShape& shape [[buffer(9)]],
    device float* values [[buffer(10)]],
    device uint* places [[buffer(11)]],
    threadgroup float4* staged [[threadgroup(0)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float squares[SIMDGROUPS], own_values[SIMDGROUPS];
  threadgroup uint own_places[SIMDGROUPS];
  float best = -FLT_MAX;
  uint place = 0xFFFFFFFFu;
  const uint each = SIMDGROUPS * shape.loops;
  const uint groups0 = (shape.rows[0] + each - 1) / each, groups1 = (shape.rows[1] + each - 1) / each;
  const uint matrix = group.x < groups0 ? 0 : group.x < groups0 + groups1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? groups0 : groups0 + groups1;
  const uint rows = shape.rows[matrix], type = shape.type[matrix], columns = shape.columns;
  uint row = (group.x - skipped) * each + simdgroup;
  device const uchar* w = matrix == 0 ? w0 : matrix == 1 ? w1 : w2;
  device float* y = (matrix == 0 ? y0 : matrix == 1 ? y1 : y2) + group.y * shape.y_stride[matrix];
  Weights16 parts[SIDES];
  fetch(type, w + ulong(min(row, rows - 1)) * shape.row_bytes[matrix], 0, columns, lane, parts);
  device const float* v = x + ulong(row_of[group.y]) * shape.x_stride;
  AWAIT();
  const bool adds = shape.adds && lane == 0;
  float before = adds && row < rows ? y[row] : 0.0f;
  float share = stage(v, gain, shape.normed, 0, columns, staged, thread_index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = multiply(type, parts, 0, staged, lane);
  for (uint first = CHUNK; first < columns; first += CHUNK) {
    fetch(type, w + ulong(min(row, rows - 1)) * shape.row_bytes[matrix], first / 32, columns, lane, parts);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    share += stage(v, gain, shape.normed, first, columns, staged, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += multiply(type, parts, first / 32, staged, lane);
  }
  if (shape.loops > 1) fetch(type, w + ulong(min(row + SIMDGROUPS, rows - 1)) * shape.row_bytes[matrix], 0, columns, lane, parts);
  const float scale = shape.normed ? inverse_rms(share, columns, shape.epsilon, squares, simdgroup, lane) : 1.0f;
  for (uint loop = 1; ; loop++, row += SIMDGROUPS) {
    sum = simd_sum(sum) * scale;
    if (lane == 0 && row < rows) y[row] = before + sum;
    if (row < rows && sum > best) {
      best = sum;
      place = row;
    }
    if (loop == shape.loops) break;
    before = adds && row + SIMDGROUPS < rows ? y[row + SIMDGROUPS] : 0.0f;
    sum = multiply(type, parts, 0, staged, lane);
    if (loop + 1 < shape.loops) {
      fetch(type, w + ulong(min(row + 2 * SIMDGROUPS, rows - 1)) * shape.row_bytes[matrix], 0, columns, lane, parts);
    }
  }
  if (shape.finds == 0) return;
  if (lane == 0) {
    own_values[simdgroup] = best;
    own_places[simdgroup] = place;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index > 0) return;
  for (uint i = 1; i < SIMDGROUPS; i++) {
    if (own_values[i] > best || (own_values[i] == best && own_places[i] < place)) {
      best = own_values[i];
      place = own_places[i];
    }
  }
  values[group.y * groups0 + group.x] = best;
  places[group.y * groups0 + group.x] = place;
}

// y[v] = silu(gate * n) * (up * n),  n = norm(x[v]): the gated half of a feed-forward block.
//
//   x   vectors x x_stride     gate, up   rows x columns     y   vectors x y_stride     grid   groups of 4 rows, vectors
struct GateUpShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint rows;
  uint row_bytes[2];
  uint type[2];
  uint y_stride;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void gate_up(
    device const float* x [[buffer(0)]],
    device const float* gain [[buffer(1)]],
    device const uchar* gate [[buffer(2)]],
    device const uchar* up [[buffer(3)]],
    device float* y [[buffer(4)]],
    constant GateUpShape& shape [[buffer(5)]],
    threadgroup float4* staged [[threadgroup(0)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float squares[SIMDGROUPS];
  const uint row = group.x * SIMDGROUPS + simdgroup, columns = shape.columns, at = min(row, shape.rows - 1);
  Weights16 gates[SIDES], ups[SIDES];
  fetch(shape.type[0], gate + ulong(at) * shape.row_bytes[0], 0, columns, lane, gates);
  fetch(shape.type[1], up + ulong(at) * shape.row_bytes[1], 0, columns, lane, ups);
  device const float* v = x + ulong(group.y) * shape.x_stride;
  AWAIT();
  float share = stage(v, gain, true, 0, columns, staged, thread_index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float g = multiply(shape.type[0], gates, 0, staged, lane);
  float u = multiply(shape.type[1], ups, 0, staged, lane);
  for (uint first = CHUNK; first < columns; first += CHUNK) {
    fetch(shape.type[0], gate + ulong(at) * shape.row_bytes[0], first / 32, columns, lane, gates);
    fetch(shape.type[1], up + ulong(at) * shape.row_bytes[1], first / 32, columns, lane, ups);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    share += stage(v, gain, true, first, columns, staged, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    g += multiply(shape.type[0], gates, first / 32, staged, lane);
    u += multiply(shape.type[1], ups, first / 32, staged, lane);
  }
  const float scale = inverse_rms(share, columns, shape.epsilon, squares, simdgroup, lane);
  g = simd_sum(g) * scale;
  u = simd_sum(u) * scale;
  if (lane == 0 && row < shape.rows) y[group.y * shape.y_stride + row] = g / (1 + exp(-g)) * u;
}
