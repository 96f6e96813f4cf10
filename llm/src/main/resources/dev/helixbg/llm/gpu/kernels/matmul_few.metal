// Computes y[v] = W * n or y[v] += W * n for a few vectors and up to three matrices W. n is x[row_of[v]], normalised if `normed`. Each
// weight is read once for 8 vectors. If `gated`, it computes y0[v] = silu(w0 * n) * (w1 * n).
//
// A threadgroup computes a tile of 8 vectors x 16 rows with 4 simdgroups. If there would be too few tiles to keep a GPU busy, a threadgroup
// computes 8 rows with 8 simdgroups. If `gated`, the tile has half as many rows of each matrix. Each simdgroup computes all rows of the
// tile, but only for its own columns: in turn, simdgroups take 128 columns each. Lanes l, l + 4, l + 8, ... divide these columns among
// them, for a fourth of the rows; each of these lanes has a side of a unit (see weights.metal). A simdgroup copies its columns of the
// vectors into threadgroup memory, multiplied by the norm's gain. Simdgroups therefore wait for each other only at the end, when each sum
// is added up from all simdgroups. The norm's factor is known only after the whole vector was read, so the sums are multiplied by the
// factor. The result of a vector does not depend on the other vectors.
//
//   x      any x x_stride, zero past the columns up to a whole unit     w0..w2   rows x columns     y0..y2   vectors x y_stride
//   gain   columns     row_of   vectors     grid   ceil(vectors / 8), tiles of each matrix
struct FewShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint normed;
  uint adds;
  uint gated;        // if 1, both matrices have the same type and size
  uint vectors;
  uint rows[3];      // 0 if there is no such matrix
  uint row_bytes[3];
  uint type[3];
  uint y_stride[3];
};

constant constexpr uint VECTORS = 8;
constant constexpr uint SETS = 4;                // sets of a tile's rows; every fourth lane has the same set
constant constexpr uint PARTS = 32 / SETS;       // lanes that share columns; each has a side of a unit
constant constexpr uint OWN = PARTS / 2;         // units per simdgroup at a time
constant constexpr uint FOURS = OWN * 32 / 4;    // float4s of a vector in these units, one per lane

// Returns the index in threadgroup memory of four of a simdgroup's columns. With this order, lanes that read 16 or 32 columns apart do not
// use the same memory bank.
inline uint placed(uint four) { return four ^ (four / 8 % 4); }

// Loads four columns of each vector; after the last column, loads arbitrary numbers. Here and below, there is no branch for the end of a
// row, because it would delay later loads.
inline void load_fours(device const float4* x, thread const uint* from, uint four, uint last, thread float4* fours) {
#pragma unroll
  for (uint v = 0; v < VECTORS; v++) fours[v] = x[from[v] + min(four, last)];
}

// Returns the gain of four columns; after the last column, returns arbitrary numbers.
inline float4 gain_of(device const float* gain, uint four, uint columns) {
  if (columns % 4 == 0) return *(device const float4*)(gain + min(four * 4, columns - 4));
  float4 gains;
#pragma unroll
  for (uint k = 0; k < 4; k++) gains[k] = gain[min(four * 4 + k, columns - 1)];
  return gains;
}

// Loads this lane's side of a unit, for each of the lane's rows.
template <class T, uint EACH> inline void hold_sides(device const uchar* const thread* row, uint unit, uint side, uint columns, thread Weights16* to) {
#pragma unroll
  for (uint r = 0; r < EACH; r++) T::hold(row[r], unit, side, columns, to[r]);
}

template <uint EACH> inline void hold_sides(uint type, device const uchar* const thread* row, uint unit, uint side, uint columns, thread Weights16* to) {
#ifdef TYPE_B
  if (type == 1) return hold_sides<TYPE_B, EACH>(row, unit, side, columns, to);
#endif
#ifdef TYPE_C
  if (type == 2) return hold_sides<TYPE_C, EACH>(row, unit, side, columns, to);
#endif
  hold_sides<TYPE_A, EACH>(row, unit, side, columns, to);
}

// Two lanes whose indices differ by MASK add up their parts of 2 * HALF sums. Each of the two lanes keeps HALF sums.
template <uint HALF, uint MASK> inline void share_out(thread float* sums, uint lane) {
  const bool upper = lane & MASK;
#pragma unroll
  for (uint i = 0; i < HALF; i++) {
    const float low = sums[i], high = sums[i + HALF];
    sums[i] = (upper ? high : low) + simd_shuffle_xor(upper ? low : high, ushort(MASK));
  }
}

// A lane computes EACH rows. If EARLY, the next columns of the vectors are loaded before the current columns are multiplied. That takes so
// many registers that a core (SM) of an NVIDIA GPU runs only one threadgroup of 256 threads at a time. If there are few threadgroups, this
// is an advantage, because two threadgroups on one core would take twice as long.
template <uint SIMDGROUPS, uint EACH, bool EARLY> inline void tile(
    device const float* x, device const float* gain, device const uchar* w0, device const uchar* w1, device const uchar* w2, device float* y0,
    device float* y1, device float* y2, device const uint* row_of, constant FewShape& shape, threadgroup float4* staged, uint2 group,
    uint simdgroup, uint lane) {
  constexpr uint ROWS = SETS * EACH, ALL = ROWS * VECTORS, SUMS = EACH * VECTORS;   // rows of a tile, sums of a tile, sums of a lane
  const uint tile_rows = shape.gated ? ROWS / 2 : ROWS, each = shape.gated ? EACH / 2 : EACH, columns = shape.columns;
  const uint tiles0 = (shape.rows[0] + tile_rows - 1) / tile_rows, tiles1 = (shape.rows[1] + tile_rows - 1) / tile_rows;
  const uint matrix = group.y < tiles0 ? 0 : group.y < tiles0 + tiles1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? tiles0 : tiles0 + tiles1;
  const uint rows = shape.rows[matrix], type = shape.type[matrix], first_row = (group.y - skipped) * tile_rows;
  const uint first_vector = group.x * VECTORS, last_vector = shape.vectors - 1;
  const uint units = (columns + 31) / 32, last_four = units * 8 - 1;
  const uint set = lane % SETS, part = lane / SETS;

  // Load this lane's side of a unit, for each of the lane's rows.
  device const uchar* row[EACH];
#pragma unroll
  for (uint r = 0; r < EACH; r++) {
    const uint of = r < each ? matrix : 1;
    device const uchar* w = of == 0 ? w0 : of == 1 ? w1 : w2;
    row[r] = w + ulong(min(first_row + set * each + r % each, rows - 1)) * shape.row_bytes[of];
  }
  uint first = simdgroup * OWN;   // the first of the simdgroup's units
  Weights16 sides[EACH];
  hold_sides<EACH>(type, row, min(first + part / 2, units - 1), part % 2, columns, sides);
  float4 gains = float4(1.0f);
  if (shape.normed) gains = gain_of(gain, first * 8 + lane, columns);
  uint from[VECTORS];
#pragma unroll
  for (uint v = 0; v < VECTORS; v++) from[v] = row_of[min(first_vector + v, last_vector)] * (shape.x_stride / 4);
  AWAIT();

  // Row and vector of the sum that this thread computes at the end.
  const uint sum_of = simdgroup * 32 + lane, own_r = sum_of % EACH;
  const uint own_row = first_row + sum_of / EACH % SETS * each + own_r % each, vector = first_vector + sum_of / ROWS;
  const bool writes = sum_of < ALL && own_r < each && own_row < rows && vector <= last_vector;
  device float* y = (matrix == 0 ? y0 : matrix == 1 ? y1 : y2) + min(vector, last_vector) * shape.y_stride[matrix] + own_row;
  const float before = writes && shape.adds ? *y : 0.0f;

  threadgroup float4* own = staged + simdgroup * VECTORS * FOURS;
  float squares[VECTORS], sums[SUMS];
#pragma unroll
  for (uint v = 0; v < VECTORS; v++) squares[v] = 0;
#pragma unroll
  for (uint i = 0; i < SUMS; i++) sums[i] = 0;
  float4 fours[VECTORS];
  if (EARLY) load_fours((device const float4*)x, from, first * 8 + lane, last_four, fours);
  while (true) {
    if (!EARLY) load_fours((device const float4*)x, from, first * 8 + lane, last_four, fours);
    const float there = first * 8 + lane <= last_four ? 1.0f : 0.0f;
#pragma unroll
    for (uint v = 0; v < VECTORS; v++) {
      squares[v] += dot(fours[v], fours[v]) * there;
      own[v * FOURS + placed(lane)] = fours[v] * (gains * there);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    const uint side = (column_of(type, first + part / 2, part % 2) - first * 32) / 4;
    first += SIMDGROUPS * OWN;
    const bool more = first < units;
    if (EARLY && more) load_fours((device const float4*)x, from, first * 8 + lane, last_four, fours);
#pragma unroll
    for (uint i = 0; i < 4; i++) {
      float4 weights[EACH];
#pragma unroll
      for (uint r = 0; r < EACH; r++) weights[r] = sides[r].scale * numbers(type, sides[r], i) - sides[r].minimum;
#pragma unroll
      for (uint v = 0; v < VECTORS; v++) {
        const float4 four = own[v * FOURS + placed(side + i)];
#pragma unroll
        for (uint r = 0; r < EACH; r++) {
#pragma unroll
          for (uint k = 0; k < 4; k++) sums[v * EACH + r] = fma(weights[r][k], four[k], sums[v * EACH + r]);
        }
      }
    }
    if (!more) break;
    hold_sides<EACH>(type, row, min(first + part / 2, units - 1), part % 2, columns, sides);
    if (shape.normed) gains = gain_of(gain, first * 8 + lane, columns);
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }

  // Add up each sum, first from the lanes of a simdgroup, then from all simdgroups.
  share_out<SUMS / 2, 16>(sums, lane);
  share_out<SUMS / 4, 8>(sums, lane);
  share_out<SUMS / 8, 4>(sums, lane);
  threadgroup float* shares = (threadgroup float*)own;
  simdgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
  for (uint i = 0; i < EACH; i++) shares[lane * EACH + i] = sums[i];
  if (shape.normed) {
    share_out<4, 16>(squares, lane);
    share_out<2, 8>(squares, lane);
    share_out<1, 4>(squares, lane);
    squares[0] += simd_shuffle_xor(squares[0], ushort(2));
    squares[0] += simd_shuffle_xor(squares[0], ushort(1));
    if (set == 0) shares[ALL + part] = squares[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (sum_of >= ALL) return;
  constexpr uint NEXT = VECTORS * FOURS * 4;   // distance from a simdgroup's sums to the sums of the next simdgroup
  threadgroup const float* all = (threadgroup float*)staged;
  float sum = 0;
#pragma unroll
  for (uint i = 0; i < SIMDGROUPS; i++) sum += all[i * NEXT + sum_of];
  if (shape.normed) {
    float square = 0;
#pragma unroll
    for (uint i = 0; i < SIMDGROUPS; i++) square += all[i * NEXT + ALL + sum_of / ROWS];
    sum *= rsqrt(square / float(columns) + shape.epsilon);
  }
  if (shape.gated) {
    const float other = simd_shuffle_xor(sum, ushort(EACH / 2));
    sum = sum / (1 + exp(-sum)) * other;
  }
  if (writes) *y = before + sum;
}

[[max_total_threads_per_threadgroup(128)]]
kernel void matmul_few(
    device const float* x [[buffer(0)]],
    device const float* gain [[buffer(1)]],
    device const uchar* w0 [[buffer(2)]],
    device const uchar* w1 [[buffer(3)]],
    device const uchar* w2 [[buffer(4)]],
    device float* y0 [[buffer(5)]],
    device float* y1 [[buffer(6)]],
    device float* y2 [[buffer(7)]],
    device const uint* row_of [[buffer(8)]],
    constant FewShape& shape [[buffer(9)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 staged[4 * VECTORS * FOURS];
  tile<4, 4, false>(x, gain, w0, w1, w2, y0, y1, y2, row_of, shape, staged, group, simdgroup, lane);
}

[[max_total_threads_per_threadgroup(256)]]
kernel void matmul_few_rows(
    device const float* x [[buffer(0)]],
    device const float* gain [[buffer(1)]],
    device const uchar* w0 [[buffer(2)]],
    device const uchar* w1 [[buffer(3)]],
    device const uchar* w2 [[buffer(4)]],
    device float* y0 [[buffer(5)]],
    device float* y1 [[buffer(6)]],
    device float* y2 [[buffer(7)]],
    device const uint* row_of [[buffer(8)]],
    constant FewShape& shape [[buffer(9)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 staged[8 * VECTORS * FOURS];
  tile<8, 2, true>(x, gain, w0, w1, w2, y0, y1, y2, row_of, shape, staged, group, simdgroup, lane);
}
