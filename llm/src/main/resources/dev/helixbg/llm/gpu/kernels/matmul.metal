// Computes y[v] = W * x[v] or y[v] += W * x[v] for many vectors (prefill) and up to three matrices W.
//
// A threadgroup of 4 simdgroups computes a tile of 32 vectors x 64 rows of W, two units of columns at a time (see weights.metal). It copies
// 64 columns of the vectors and of W into threadgroup memory, with the weights as floats. It multiplies these columns as 8 x 8 matrices
// while the next columns are being loaded. Each simdgroup computes 16 vectors x 32 rows. Neighbouring lanes load neighbouring data. A
// vector's result does not depend on the other vectors.
//
//   x   vectors x x_stride, zero past the columns up to a whole unit     w0..w2   rows x columns
//   y0..y2   vectors x y_stride     grid   ceil(vectors / 32), ceil(rows / 64) of each matrix
struct MatmulShape {
  uint columns;
  uint x_stride;
  uint vectors;
  uint adds;
  uint rows[3];      // 0 if there is no such matrix
  uint row_bytes[3];
  uint type[3];
  uint y_stride[3];
};

constant constexpr uint TILE_VECTORS = 32;
constant constexpr uint TILE_ROWS = 64;
constant constexpr uint THREADS = 128;
constant constexpr uint DEPTH = 72;      // floats per row in threadgroup memory: two units, each with four unused floats against bank conflicts
constant constexpr uint UNIT_DEPTH = 36;
constant constexpr uint X_FOURS = TILE_VECTORS * 16 / THREADS;   // float4s of x per thread

[[max_total_threads_per_threadgroup(128)]]
kernel void matmul(
    device const float* x [[buffer(0)]],
    device const uchar* w0 [[buffer(1)]],
    device const uchar* w1 [[buffer(2)]],
    device const uchar* w2 [[buffer(3)]],
    device float* y0 [[buffer(4)]],
    device float* y1 [[buffer(5)]],
    device float* y2 [[buffer(6)]],
    constant MatmulShape& shape [[buffer(7)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup float4 memory[(TILE_VECTORS + TILE_ROWS) * DEPTH / 4];
  threadgroup float* xs = (threadgroup float*)memory;
  threadgroup float* ws = xs + TILE_VECTORS * DEPTH;
  const uint tiles0 = (shape.rows[0] + TILE_ROWS - 1) / TILE_ROWS, tiles1 = (shape.rows[1] + TILE_ROWS - 1) / TILE_ROWS;
  const uint matrix = group.y < tiles0 ? 0 : group.y < tiles0 + tiles1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? tiles0 : tiles0 + tiles1;
  const uint rows = shape.rows[matrix], type = shape.type[matrix], y_stride = shape.y_stride[matrix];
  device const uchar* w = matrix == 0 ? w0 : matrix == 1 ? w1 : w2;
  device float* y = matrix == 0 ? y0 : matrix == 1 ? y1 : y2;
  const uint first_vector = group.x * TILE_VECTORS, first_row = (group.y - skipped) * TILE_ROWS;
  const uint own_vector = simdgroup / 2 * 16, own_row = simdgroup % 2 * 32;

  // This thread loads a unit of a row of W, and four columns of every eighth vector.
  const uint w_row = thread_index / 2, w_unit = thread_index % 2;
  device const uchar* row = w + ulong(min(first_row + w_row, rows - 1)) * shape.row_bytes[matrix];
  threadgroup float4* w_to = (threadgroup float4*)(ws + w_row * DEPTH + w_unit * UNIT_DEPTH);
  const uint x_vector = thread_index / 16, x_unit = thread_index % 16 / 8, x_side = thread_index % 8 / 4, x_column = thread_index % 4 * 4;
  threadgroup float4* x_to = (threadgroup float4*)(xs + x_vector * DEPTH + x_unit * UNIT_DEPTH + x_side * 16 + x_column);

  const uint units = (shape.columns + 31) / 32;
  Weights16 low, high;
  load_unit(type, row, min(w_unit, units - 1), shape.columns, low, high);
  AWAIT();
  float4 fours[X_FOURS];
  uint column = column_of(type, min(x_unit, units - 1), x_side) + x_column;
#pragma unroll
  for (uint j = 0; j < X_FOURS; j++) {
    fours[j] = *(device const float4*)(x + ulong(min(first_vector + x_vector + 8 * j, shape.vectors - 1)) * shape.x_stride + column);
  }
  simdgroup_float8x8 sums[2][4], a[2], b[4];
#pragma unroll
  for (uint i = 0; i < 2; i++) {
#pragma unroll
    for (uint j = 0; j < 4; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
  for (uint unit = 0; unit < units; unit += 2) {
#pragma unroll
    for (uint i = 0; i < 4; i++) {
      w_to[i] = low.scale * low.q[i] - low.minimum;
      w_to[4 + i] = high.scale * high.q[i] - high.minimum;
    }
    // After the last vector, the tile repeats that vector, whose extra results are not stored. Columns after the last unit are zero.
#pragma unroll
    for (uint j = 0; j < X_FOURS; j++) x_to[j * 8 * DEPTH / 4] = unit + x_unit < units ? fours[j] : float4(0.0f);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    load_unit(type, row, min(unit + 2 + w_unit, units - 1), shape.columns, low, high);
    column = column_of(type, min(unit + 2 + x_unit, units - 1), x_side) + x_column;
#pragma unroll
    for (uint j = 0; j < X_FOURS; j++) {
      fours[j] = *(device const float4*)(x + ulong(min(first_vector + x_vector + 8 * j, shape.vectors - 1)) * shape.x_stride + column);
    }
    if (first_vector + own_vector < shape.vectors) {   // up to 16 vectors need only half of the tile
#pragma unroll
      for (uint k = 0; k < 8; k++) {
        const uint at = k / 4 * UNIT_DEPTH + k % 4 * 8;
#pragma unroll
        for (uint i = 0; i < 2; i++) simdgroup_load(a[i], xs + (own_vector + 8 * i) * DEPTH + at, DEPTH);
#pragma unroll
        for (uint j = 0; j < 4; j++) simdgroup_load(b[j], ws + (own_row + 8 * j) * DEPTH + at, DEPTH, ulong2(0, 0), true);
#pragma unroll
        for (uint j = 0; j < 4; j++) {
          MULTIPLY_PAIR(sums[0][j], sums[1][j], a[0], a[1], b[j]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  // Results go through threadgroup memory, because tiles at the edges are not complete.
#pragma unroll
  for (uint i = 0; i < 2; i++) {
#pragma unroll
    for (uint j = 0; j < 4; j++) {
      simdgroup_store(sums[i][j], xs + (own_vector + 8 * i) * TILE_ROWS + own_row + 8 * j, TILE_ROWS);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = thread_index; i < TILE_VECTORS * TILE_ROWS; i += THREADS) {
    const uint vector = first_vector + i / TILE_ROWS, r = first_row + i % TILE_ROWS;
    if (vector < shape.vectors && r < rows) {
      device float* target = y + ulong(vector) * y_stride + r;
      *target = shape.adds ? *target + xs[i] : xs[i];
    }
  }
}
