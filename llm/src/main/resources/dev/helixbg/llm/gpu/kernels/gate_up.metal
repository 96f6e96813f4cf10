// Computes the gated half of a feed-forward block: y[v] = silu(gate * n) * (up * n), where n = norm(x[v]).
//
//   x   vectors x x_stride     gate, up   rows x columns     y   vectors x y_stride     grid   vectors, groups of 4 rows
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
  const uint row = group.y * SIMDGROUPS + simdgroup, columns = shape.columns, at = min(row, shape.rows - 1);
  Weights16 gates[SIDES], ups[SIDES];
  fetch(shape.type[0], gate + ulong(at) * shape.row_bytes[0], 0, columns, lane, gates);
  fetch(shape.type[1], up + ulong(at) * shape.row_bytes[1], 0, columns, lane, ups);
  device const float* v = x + ulong(group.x) * shape.x_stride;
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
  if (lane == 0 && row < shape.rows) y[group.x * shape.y_stride + row] = g / (1 + exp(-g)) * u;
}
