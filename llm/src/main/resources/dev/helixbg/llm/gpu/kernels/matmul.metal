// y[v] = W * x[v]  or  y[v] += W * x[v]  for many vectors: prefill.
//
// A threadgroup of 4 simdgroups makes a tile of 32 vectors x 64 rows of W, unit by unit of the columns (see weights.metal): 32 columns
// of both are brought into threadgroup memory, the weights as floats, and multiplied 8 x 8 by 8 x 8; each simdgroup owns 16 vectors x
// 32 rows. A vector's result depends on no other vector.
//
//   x   vectors x x_stride, zero past the columns up to a whole unit     w   rows x columns
//   y   vectors x y_stride                                               grid   ceil(rows / 64), ceil(vectors / 32)
struct MatmulShape {
  uint columns;
  uint x_stride;
  uint vectors;
  uint rows;
  uint row_bytes;
  uint y_stride;
  uint adds;
};

constant constexpr uint TILE_VECTORS = 32;
constant constexpr uint TILE_ROWS = 64;
constant constexpr uint DEPTH = 36;      // 32 columns, and four spare against bank conflicts

kernel void matmul(
    device const float* x [[buffer(0)]],
    device const uchar* w [[buffer(1)]],
    device float* y [[buffer(2)]],
    constant MatmulShape& shape [[buffer(3)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup float memory[(TILE_VECTORS + TILE_ROWS) * DEPTH];
  threadgroup float* xs = memory;
  threadgroup float* ws = memory + TILE_VECTORS * DEPTH;
  const uint first_vector = group.y * TILE_VECTORS, first_row = group.x * TILE_ROWS;
  const uint own_vector = simdgroup / 2 * 16, own_row = simdgroup % 2 * 32;

  // What this thread brings in: one side of a unit of a row, and 8 columns of a vector.
  const uint w_row = thread_index % TILE_ROWS, w_side = thread_index / TILE_ROWS;
  device const uchar* row = w + ulong(min(first_row + w_row, shape.rows - 1)) * shape.row_bytes;
  const uint x_vector = thread_index / 4, x_side = thread_index % 4 / 2, x_half = thread_index % 2 * 8;
  const bool there = first_vector + x_vector < shape.vectors;
  device const float* v = x + ulong(there ? first_vector + x_vector : 0) * shape.x_stride;

  simdgroup_float8x8 sums[2][4], a[2], b[4];
  for (uint i = 0; i < 2; i++) {
    for (uint j = 0; j < 4; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
  const uint units = (shape.columns + 31) / 32;
  for (uint unit = 0; unit < units; unit++) {
    Weights16 part;
    load_weights(0, row, unit, w_side, shape.columns, part);
    threadgroup float4* wt = (threadgroup float4*)(ws + w_row * DEPTH + w_side * 16);
    for (uint i = 0; i < 4; i++) wt[i] = part.scale * part.q[i] - part.minimum;
    device const float4* from = (device const float4*)(v + column_of(0, unit, x_side) + x_half);
    threadgroup float4* xt = (threadgroup float4*)(xs + x_vector * DEPTH + x_side * 16 + x_half);
    for (uint i = 0; i < 2; i++) xt[i] = there ? from[i] : float4(0.0f);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < 32; k += 8) {
      for (uint i = 0; i < 2; i++) simdgroup_load(a[i], xs + (own_vector + 8 * i) * DEPTH + k, DEPTH);
      for (uint j = 0; j < 4; j++) simdgroup_load(b[j], ws + (own_row + 8 * j) * DEPTH + k, DEPTH, ulong2(0, 0), true);
      for (uint i = 0; i < 2; i++) {
        for (uint j = 0; j < 4; j++) simdgroup_multiply_accumulate(sums[i][j], a[i], b[j], sums[i][j]);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  // Through threadgroup memory, since tiles at the edges are not whole.
  for (uint i = 0; i < 2; i++) {
    for (uint j = 0; j < 4; j++) {
      simdgroup_store(sums[i][j], memory + (own_vector + 8 * i) * TILE_ROWS + own_row + 8 * j, TILE_ROWS);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = thread_index; i < TILE_VECTORS * TILE_ROWS; i += 128) {
    const uint vector = first_vector + i / TILE_ROWS, r = first_row + i % TILE_ROWS;
    if (vector < shape.vectors && r < shape.rows) {
      device float* target = y + ulong(vector) * shape.y_stride + r;
      *target = shape.adds ? *target + memory[i] : memory[i];
    }
  }
}
