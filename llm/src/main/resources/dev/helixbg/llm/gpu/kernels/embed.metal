// Computes x[r] = row ids[r] of the table. Each thread computes 16 weights: one side of a unit (see weights.metal).
//
//   ids    rows            x      rows x stride
//   table  any x columns   grid   ceil(sides / 64), rows
struct EmbedShape {
  uint columns;
  uint stride;
  uint row_bytes;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void embed(
    device const uint* ids [[buffer(0)]],
    device const uchar* table [[buffer(1)]],
    device float* x [[buffer(2)]],
    constant EmbedShape& shape [[buffer(3)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  const uint i = group.x * 64 + thread_index;
  if (i >= (shape.columns + 31) / 32 * 2) return;
  device const uchar* row = table + ulong(ids[group.y]) * shape.row_bytes;
  Weights16 w;
  load_weights(0, row, i / 2, i % 2, shape.columns, w);
  const uint first = column_of(0, i / 2, i % 2);
  device float* target = x + ulong(group.y) * shape.stride;
#pragma unroll
  for (uint j = 0; j < 16; j++) {
    if (first + j < shape.columns) target[first + j] = w.scale * w.q[j / 4][j % 4] - w.minimum;
  }
}
