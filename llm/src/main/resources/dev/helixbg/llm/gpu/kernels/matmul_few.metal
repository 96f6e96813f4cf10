// y[v] = W * n  or  y[v] += W * n,  n = x[row_of[v]], normalised if `normed`, for a few vectors and up to three matrices: each weight
// is read once for 16 vectors. If `gated`, y0[v] = silu(w0 * n) * (w1 * n).
//
// A threadgroup makes a tile of 16 vectors x 16 rows, or 8 rows of each matrix where they are gated, so that even small matrices
// keep a GPU busy; each of its 4 simdgroups takes a quarter of the columns. AHEAD units (see weights.metal) of the weights are asked for at
// once, the first ones before the vectors are looked at; unit by unit, weights and vectors go through the simdgroup's own
// threadgroup memory and are multiplied 8 x 8 by 8 x 8. The norm's factor, known only when all of a vector was seen, is applied to the sums.
//
//   x      any x x_stride, zero past the columns up to a whole unit     w0..w2   rows x columns     y0..y2   vectors x y_stride
//   gain   columns     row_of   vectors     grid   ceil(vectors / 16), tiles of each matrix
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
constant constexpr uint THREADS = 32 * SIMDGROUPS;
constant constexpr uint VECTORS = 16;
constant constexpr uint ROWS = 16;
constant constexpr uint DEPTH = 36;              // floats of a row in threadgroup memory: a unit and four spare against bank conflicts
constant constexpr uint X_FOURS = VECTORS / 4;   // of a lane and a unit
constant constexpr uint AHEAD = 8;

// Four columns of a vector times the gain.
inline float4 gained(float4 x, device const float* gain, uint column, uint columns) {
  if (column + 4 <= columns) return x * *(device const float4*)(gain + column);
#pragma unroll
  for (uint i = 0; i < 4; i++) x[i] = column + i < columns ? x[i] * gain[column + i] : 0.0f;
  return x;
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
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 memory[SIMDGROUPS * (VECTORS + ROWS) * DEPTH / 4];
  threadgroup float squares[SIMDGROUPS * VECTORS];
  threadgroup float* all = (threadgroup float*)memory;
  threadgroup float* xs = all + simdgroup * (VECTORS + ROWS) * DEPTH;
  threadgroup float* ws = xs + VECTORS * DEPTH;
  const uint each = shape.gated ? ROWS / 2 : ROWS, columns = shape.columns;
  const uint tiles0 = (shape.rows[0] + each - 1) / each, tiles1 = (shape.rows[1] + each - 1) / each;
  const uint matrix = group.y < tiles0 ? 0 : group.y < tiles0 + tiles1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? tiles0 : tiles0 + tiles1;
  const uint first_vector = group.x * VECTORS, last_vector = shape.vectors - 1;
  const uint rows = shape.rows[matrix], type = shape.type[matrix], first_row = (group.y - skipped) * each;

  // What this lane brings in: a side of a unit of a row, and four columns of every fourth vector.
  const uint w_matrix = shape.gated ? lane / 16 : matrix, w_side = lane % 2;
  device const uchar* w = w_matrix == 0 ? w0 : w_matrix == 1 ? w1 : w2;
  device const uchar* row = w + ulong(min(first_row + lane / 2 % each, rows - 1)) * shape.row_bytes[w_matrix];
  threadgroup float4* w_to = (threadgroup float4*)(ws + lane / 2 * DEPTH + w_side * 16);
  const uint x_vector = lane / 8, x_side = lane % 8 / 4, x_column = lane % 4 * 4;
  threadgroup float4* x_to = (threadgroup float4*)(xs + x_vector * DEPTH + x_side * 16 + x_column);

  const uint units = (columns + 31) / 32, share = (units + SIMDGROUPS - 1) / SIMDGROUPS;
  const uint begin = simdgroup * share, end = min(begin + share, units);
  Weights16 ahead[AHEAD];
#pragma unroll
  for (uint i = 0; i < AHEAD; i++) load_weights(type, row, min(begin + i, units - 1), w_side, columns, ahead[i]);
  AWAIT();
  uint from[X_FOURS];
  float4 fours[X_FOURS];
  float share_of_squares[X_FOURS];
  uint column = column_of(type, min(begin, units - 1), x_side) + x_column;
#pragma unroll
  for (uint j = 0; j < X_FOURS; j++) {
    from[j] = row_of[min(first_vector + x_vector + 4 * j, last_vector)] * shape.x_stride;
    fours[j] = *(device const float4*)(x + from[j] + column);
    share_of_squares[j] = 0;
  }
  simdgroup_float8x8 sums[2][2], a[2], b[2];
#pragma unroll
  for (uint i = 0; i < 2; i++) {
#pragma unroll
    for (uint j = 0; j < 2; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
  for (uint first = begin; first < end; first += AHEAD) {
#pragma unroll
    for (uint u = 0; u < AHEAD; u++) {
      if (first + u >= end) break;
#pragma unroll
      for (uint i = 0; i < 4; i++) w_to[i] = ahead[u].scale * ahead[u].q[i] - ahead[u].minimum;
#pragma unroll
      for (uint j = 0; j < X_FOURS; j++) {
        share_of_squares[j] += dot(fours[j], fours[j]);
        x_to[j * DEPTH] = shape.normed ? gained(fours[j], gain, column, columns) : fours[j];   // four rows on
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);
      column = column_of(type, min(first + u + 1, units - 1), x_side) + x_column;
#pragma unroll
      for (uint j = 0; j < X_FOURS; j++) fours[j] = *(device const float4*)(x + from[j] + column);
#pragma unroll
      for (uint k = 0; k < 4; k++) {
#pragma unroll
        for (uint i = 0; i < 2; i++) simdgroup_load(a[i], xs + 8 * i * DEPTH + 8 * k, DEPTH);
#pragma unroll
        for (uint j = 0; j < 2; j++) simdgroup_load(b[j], ws + 8 * j * DEPTH + 8 * k, DEPTH, ulong2(0, 0), true);
#pragma unroll
        for (uint j = 0; j < 2; j++) {
          MULTIPLY_PAIR(sums[0][j], sums[1][j], a[0], a[1], b[j]);
        }
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma unroll
    for (uint i = 0; i < AHEAD; i++) load_weights(type, row, min(first + AHEAD + i, units - 1), w_side, columns, ahead[i]);
  }

  // The four quarters of each sum meet in threadgroup memory.
#pragma unroll
  for (uint i = 0; i < 2; i++) {
#pragma unroll
    for (uint j = 0; j < 2; j++) simdgroup_store(sums[i][j], xs + 8 * i * ROWS + 8 * j, ROWS);
  }
#pragma unroll
  for (uint j = 0; j < X_FOURS; j++) {
    float sum = share_of_squares[j];
#pragma unroll
    for (ushort mask = 1; mask < 8; mask *= 2) sum += simd_shuffle_xor(sum, mask);
    if (lane % 8 == 0) squares[simdgroup * VECTORS + x_vector + 4 * j] = sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = thread_index; i < VECTORS * each; i += THREADS) {
    const uint vector = i / each, r = first_row + i % each;
    if (first_vector + vector > last_vector || r >= rows) continue;
    float sum = 0, other = 0, total = 0;
#pragma unroll
    for (uint s = 0; s < SIMDGROUPS; s++) {
      threadgroup const float* part = all + s * (VECTORS + ROWS) * DEPTH + vector * ROWS + i % each;
      sum += part[0];
      if (shape.gated) other += part[ROWS / 2];
      total += squares[s * VECTORS + vector];
    }
    const float scale = shape.normed ? rsqrt(total / float(columns) + shape.epsilon) : 1.0f;
    sum *= scale;
    device float* y = (matrix == 0 ? y0 : matrix == 1 ? y1 : y2) + (first_vector + vector) * shape.y_stride[matrix] + r;
    if (shape.gated) {
      *y = sum / (1 + exp(-sum)) * (other * scale);
    } else {
      *y = shape.adds ? *y + sum : sum;
    }
  }
}
