// y[v] = W * n  or  y[v] += W * n,  n = x[row_of[v]], normalised if `normed`, for a few vectors and up to three matrices: each weight
// is read once for 8 vectors. If `gated`, y0[v] = silu(w0 * n) * (w1 * n).
//
// A threadgroup makes a tile of 8 vectors x 16 rows, or 8 rows where tiles would be too few to keep a GPU busy; half as many rows of
// each matrix where they are gated. Each of its 4 simdgroups has 4 or 2 of the rows, whose columns its lanes share, a side of a unit
// each (see weights.metal): 512 columns, then 512 more. Of the vectors these are in threadgroup memory, times the norm's gain; the
// next weights are asked for meanwhile. The norm's factor, known only when all of a vector was seen, is applied to the sums. What a
// vector gives depends neither on the others nor on the kind of tile.
//
//   x      any x x_stride, zero past the columns up to a whole unit     w0..w2   rows x columns     y0..y2   vectors x y_stride
//   gain   columns     row_of   vectors     grid   ceil(vectors / 8), tiles of each matrix
struct FewShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint normed;
  uint adds;
  uint gated;        // then both matrices are of one type and size
  uint vectors;
  uint rows[3];      // 0 where there is no matrix
  uint row_bytes[3];
  uint type[3];
  uint y_stride[3];
};

constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint VECTORS = 8;
constant constexpr uint CHUNK = 512;                          // columns that a simdgroup has in its lanes
constant constexpr uint FOURS = CHUNK / 4;                    // of a vector and a chunk
constant constexpr uint OWN_VECTORS = VECTORS / SIMDGROUPS;   // that a simdgroup brings in
constant constexpr uint OWN_FOURS = FOURS / 32;               // of each of them and a lane

// Where four columns of a chunk lie: lanes that read 16 or 32 columns apart do not meet in one bank.
inline uint placed(uint four) { return four ^ (four / 8 % 4); }

// Four columns of a vector, zero past its last unit. Without a branch, which would keep later loads waiting; so below.
inline float4 four_of(device const float4* x, uint four, uint last_unit) {
  return x[min(four, last_unit * 8 + 7)] * (four <= last_unit * 8 + 7 ? 1.0f : 0.0f);
}

// The gain of a lane's columns; past the last any.
inline void load_gains(device const float* gain, uint first, uint columns, uint lane, thread float4* gains) {
  if (columns % 4 == 0) {
#pragma unroll
    for (uint j = 0; j < OWN_FOURS; j++) gains[j] = *(device const float4*)(gain + min(first + 4 * (lane + 32 * j), columns - 4));
  } else {
#pragma unroll
    for (uint j = 0; j < OWN_FOURS; j++) {
#pragma unroll
      for (uint k = 0; k < 4; k++) gains[j][k] = gain[min(first + 4 * (lane + 32 * j) + k, columns - 1)];
    }
  }
}

// The lane's side of each of its simdgroup's rows.
template <class T, uint EACH> inline void load_sides(device const uchar* const thread* row, uint unit, uint side, uint columns, thread Weights16* to) {
#pragma unroll
  for (uint r = 0; r < EACH; r++) T::load(row[r], unit, side, columns, to[r]);
}

template <uint EACH> inline void load_sides(uint type, device const uchar* const thread* row, uint unit, uint side, uint columns, thread Weights16* to) {
#ifdef TYPE_B
  if (type == 1) return load_sides<TYPE_B, EACH>(row, unit, side, columns, to);
#endif
#ifdef TYPE_C
  if (type == 2) return load_sides<TYPE_C, EACH>(row, unit, side, columns, to);
#endif
  load_sides<TYPE_A, EACH>(row, unit, side, columns, to);
}

// Two lanes that are HALF apart add up what they have of 2 HALF sums: either keeps half of them.
template <uint HALF> inline void share_out(thread float* sums, uint lane) {
  const bool upper = lane & HALF;
#pragma unroll
  for (uint i = 0; i < HALF; i++) {
    const float low = sums[i], high = sums[i + HALF];
    sums[i] = (upper ? high : low) + simd_shuffle_xor(upper ? low : high, ushort(HALF));
  }
}

// A simdgroup has EACH rows.
template <uint EACH> inline void tile(
    device const float* x, device const float* gain, device const uchar* w0, device const uchar* w1, device const uchar* w2, device float* y0,
    device float* y1, device float* y2, device const uint* row_of, constant FewShape& shape, threadgroup float4* staged, uint2 group,
    uint simdgroup, uint lane) {
  constexpr uint ROWS = SIMDGROUPS * EACH, SUMS = EACH * VECTORS;   // of a tile, of a simdgroup
  const uint tile_rows = shape.gated ? ROWS / 2 : ROWS, each = shape.gated ? EACH / 2 : EACH, columns = shape.columns;
  const uint tiles0 = (shape.rows[0] + tile_rows - 1) / tile_rows, tiles1 = (shape.rows[1] + tile_rows - 1) / tile_rows;
  const uint matrix = group.y < tiles0 ? 0 : group.y < tiles0 + tiles1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? tiles0 : tiles0 + tiles1;
  const uint rows = shape.rows[matrix], type = shape.type[matrix];
  const uint first_row = (group.y - skipped) * tile_rows + simdgroup * each;
  const uint first_vector = group.x * VECTORS, last_vector = shape.vectors - 1, last_unit = (columns + 31) / 32 - 1;

  // The rows' sides that are the lane's, of the first chunk.
  device const uchar* row[EACH];
#pragma unroll
  for (uint r = 0; r < EACH; r++) {
    const uint of = r < each ? matrix : 1;
    device const uchar* w = of == 0 ? w0 : of == 1 ? w1 : w2;
    row[r] = w + ulong(min(first_row + r % each, rows - 1)) * shape.row_bytes[of];
  }
  Weights16 ahead[EACH];
  load_sides<EACH>(type, row, min(lane / 2, last_unit), lane % 2, columns, ahead);
  float4 gains[OWN_FOURS];
#pragma unroll
  for (uint j = 0; j < OWN_FOURS; j++) gains[j] = float4(1.0f);
  if (shape.normed) load_gains(gain, 0, columns, lane, gains);
  device const float4* from[OWN_VECTORS];
#pragma unroll
  for (uint i = 0; i < OWN_VECTORS; i++) {
    from[i] = (device const float4*)(x + ulong(row_of[min(first_vector + simdgroup * OWN_VECTORS + i, last_vector)]) * shape.x_stride);
  }
  AWAIT();

  float4 fours[OWN_VECTORS][OWN_FOURS];
  float squares[OWN_VECTORS];
#pragma unroll
  for (uint i = 0; i < OWN_VECTORS; i++) {
    squares[i] = 0;
#pragma unroll
    for (uint j = 0; j < OWN_FOURS; j++) fours[i][j] = four_of(from[i], lane + 32 * j, last_unit);
  }

  // The sum that the lane will have in the end: of a row and a vector.
  const uint own_r = lane / VECTORS % EACH, own_row = first_row + own_r % each, vector = first_vector + lane % VECTORS;
  const bool writes = lane < SUMS && own_r < each && own_row < rows && vector <= last_vector;
  device float* y = (matrix == 0 ? y0 : matrix == 1 ? y1 : y2) + min(vector, last_vector) * shape.y_stride[matrix] + own_row;
  const float before = writes && shape.adds ? *y : 0.0f;

  float sums[SUMS];
#pragma unroll
  for (uint i = 0; i < SUMS; i++) sums[i] = 0;
  for (uint first = 0; first < columns; first += CHUNK) {
    if (first > 0) {
#pragma unroll
      for (uint i = 0; i < OWN_VECTORS; i++) {
#pragma unroll
        for (uint j = 0; j < OWN_FOURS; j++) fours[i][j] = four_of(from[i], first / 4 + lane + 32 * j, last_unit);
      }
      if (shape.normed) load_gains(gain, first, columns, lane, gains);
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma unroll
    for (uint i = 0; i < OWN_VECTORS; i++) {
#pragma unroll
      for (uint j = 0; j < OWN_FOURS; j++) {
        squares[i] += dot(fours[i][j], fours[i][j]);
        staged[(simdgroup * OWN_VECTORS + i) * FOURS + placed(lane + 32 * j)] = fours[i][j] * gains[j];
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float4 weights[EACH][4];
#pragma unroll
    for (uint r = 0; r < EACH; r++) {
#pragma unroll
      for (uint i = 0; i < 4; i++) weights[r][i] = ahead[r].scale * ahead[r].q[i] - ahead[r].minimum;
    }
    const uint unit = first / 32 + lane / 2, side = (column_of(type, unit, lane % 2) - first) / 4;
    if (first + CHUNK < columns) load_sides<EACH>(type, row, min(unit + CHUNK / 32, last_unit), lane % 2, columns, ahead);
#pragma unroll
    for (uint v = 0; v < VECTORS; v++) {
#pragma unroll
      for (uint i = 0; i < 4; i++) {
        const float4 four = staged[v * FOURS + placed(side + i)];
#pragma unroll
        for (uint r = 0; r < EACH; r++) {
#pragma unroll
          for (uint k = 0; k < 4; k++) sums[r * VECTORS + v] = fma(weights[r][i][k], four[k], sums[r * VECTORS + v]);
        }
      }
    }
  }

  // Of each sum the lanes' shares come together.
  if constexpr (SUMS < 32) {
#pragma unroll
    for (uint i = 0; i < SUMS; i++) sums[i] += simd_shuffle_xor(sums[i], ushort(16));
  } else {
    share_out<16>(sums, lane);
  }
  share_out<8>(sums, lane);
  share_out<4>(sums, lane);
  share_out<2>(sums, lane);
  share_out<1>(sums, lane);
  float sum = sums[0];
  if (shape.normed) {
    threadgroup float* all = (threadgroup float*)staged;
    threadgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
    for (uint i = 0; i < OWN_VECTORS; i++) {
      squares[i] = simd_sum(squares[i]);
      if (lane == 0) all[simdgroup * OWN_VECTORS + i] = squares[i];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum *= rsqrt(all[lane % VECTORS] / float(columns) + shape.epsilon);
  }
  if (shape.gated) {
    const float other = simd_shuffle_xor(sum, ushort(EACH / 2 * VECTORS));
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
  threadgroup float4 staged[VECTORS * FOURS];
  tile<4>(x, gain, w0, w1, w2, y0, y1, y2, row_of, shape, staged, group, simdgroup, lane);
}

[[max_total_threads_per_threadgroup(128)]]
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
  threadgroup float4 staged[VECTORS * FOURS];
  tile<2>(x, gain, w0, w1, w2, y0, y1, y2, row_of, shape, staged, group, simdgroup, lane);
}
