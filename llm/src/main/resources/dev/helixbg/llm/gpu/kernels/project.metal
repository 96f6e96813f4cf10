// Computes y[v] = W * n or y[v] += W * n for up to three matrices W with the same number of columns. n is x[row_of[v]], normalised if
// `normed`.
//
// If `finds`, each threadgroup also writes its largest result for the first matrix, and the row of this result. If several rows have the
// largest result, it writes the first of these rows.
//
//   x      any x x_stride floats     w0..w2   rows x columns      y0..y2   vectors x y_stride
//   gain   columns                   row_of   vectors             grid     vectors, groups of 4 loops rows of each matrix
//   values, places   vectors x groups
struct ProjectShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint normed;
  uint adds;
  uint loops;        // 1 if a row is longer than a chunk
  uint finds;        // whether to find the largest result
  uint rows[3];      // 0 if there is no such matrix
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
  const uint matrix = group.y < groups0 ? 0 : group.y < groups0 + groups1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? groups0 : groups0 + groups1;
  const uint rows = shape.rows[matrix], type = shape.type[matrix], columns = shape.columns;
  uint row = (group.y - skipped) * each + simdgroup;
  device const uchar* w = matrix == 0 ? w0 : matrix == 1 ? w1 : w2;
  device float* y = (matrix == 0 ? y0 : matrix == 1 ? y1 : y2) + group.x * shape.y_stride[matrix];
  Weights16 parts[SIDES];
  fetch(type, w + ulong(min(row, rows - 1)) * shape.row_bytes[matrix], 0, columns, lane, parts);
  device const float* v = x + ulong(row_of[group.x]) * shape.x_stride;
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
  values[group.x * groups0 + group.y] = best;
  places[group.x * groups0 + group.y] = place;
}
