// Products of matrices with few vectors, each row of weights read once per vector: decoding.
//
// A threadgroup has 4 simdgroups and takes 16 rows of a matrix, 4 per simdgroup. It first brings its vector into threadgroup memory,
// normalised if wanted; the lanes of a simdgroup then take every 32nd unit of the row.
constant constexpr uint LANES = 32;
constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint ROWS = 4;        // of a simdgroup
constant constexpr uint CHUNK = 4096;    // columns in threadgroup memory at a time; whole blocks of every type

// Where column i lies: four spare places after every 32, so that lanes that read 32 apart do not meet in one bank.
inline uint padded(uint i) { return i + i / 32 * 4; }

// 1 / sqrt(mean(x^2) + epsilon), the same in all threads. `sums` has a place per simdgroup.
inline float inverse_rms(device const float* x, uint columns, float epsilon, threadgroup float* sums, uint thread_index) {
  float squares = 0;
  for (uint i = thread_index; i < columns; i += LANES * SIMDGROUPS) squares += x[i] * x[i];
  squares = simd_sum(squares);
  if (thread_index % LANES == 0) sums[thread_index / LANES] = squares;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return rsqrt((sums[0] + sums[1] + sums[2] + sums[3]) / float(columns) + epsilon);
}

// Brings columns first to first + CHUNK into threadgroup memory, times scale and gain if there is a gain; zeros up to a whole unit.
inline void stage(
    device const float* x, device const float* gain, bool normed, float scale, uint first, uint columns, threadgroup float* staged,
    uint thread_index) {
  const uint count = min(CHUNK, (columns - first + 31) / 32 * 32);
  for (uint i = thread_index; i < count; i += LANES * SIMDGROUPS) {
    const uint column = first + i;
    float value = 0;
    if (column < columns) value = normed ? x[column] * scale * gain[column] : x[column];
    staged[padded(i)] = value;
  }
}

// sums[r] += row r of W times the staged columns, the lane's share. Rows past the last repeat it.
inline void multiply(
    uint type, device const uchar* w, ulong row_bytes, uint first_row, uint rows, uint first, uint columns,
    threadgroup const float* staged, uint lane, thread float* sums) {
  const uint end = (min(first + CHUNK, columns) + 31) / 32;
  for (uint unit = first / 32 + lane; unit < end; unit += LANES) {
    for (uint side = 0; side < 2; side++) {
      threadgroup const float4* x = (threadgroup const float4*)(staged + padded(column_of(type, unit, side) - first));
      const float4 x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
      const float4 four = x0 + x1 + x2 + x3;
      const float sum = four.x + four.y + four.z + four.w;
      for (uint r = 0; r < ROWS; r++) {
        Weights16 v;
        load_weights(type, w + min(first_row + r, rows - 1) * row_bytes, unit, side, columns, v);
        const float product = dot(v.q[0], x0) + dot(v.q[1], x1) + dot(v.q[2], x2) + dot(v.q[3], x3);
        sums[r] += v.scale * product - v.minimum * sum;
      }
    }
  }
}

// Up to three matrices W of the same columns:  y[v] = W * n  or  y[v] += W * n,  n = x[row_of[v]], normalised if `normed`.
//
//   x      any x x_stride floats     w0..w2   rows x columns      y0..y2   vectors x y_stride
//   gain   columns                   row_of   vectors             grid     groups of 16 rows of all matrices, vectors
struct ProjectShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint normed;
  uint adds;
  uint rows[3];      // 0 where there is no matrix
  uint row_bytes[3];
  uint type[3];
  uint y_stride[3];
};

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
    threadgroup float* staged [[threadgroup(0)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float squares[SIMDGROUPS];
  const uint groups0 = (shape.rows[0] + ROWS * SIMDGROUPS - 1) / (ROWS * SIMDGROUPS);
  const uint groups1 = (shape.rows[1] + ROWS * SIMDGROUPS - 1) / (ROWS * SIMDGROUPS);
  const uint matrix = group.x < groups0 ? 0 : group.x < groups0 + groups1 ? 1 : 2;
  const uint skipped = matrix == 0 ? 0 : matrix == 1 ? groups0 : groups0 + groups1;
  device const uchar* w = matrix == 0 ? w0 : matrix == 1 ? w1 : w2;
  device float* y = (matrix == 0 ? y0 : matrix == 1 ? y1 : y2) + group.y * shape.y_stride[matrix];
  const uint first_row = ((group.x - skipped) * SIMDGROUPS + simdgroup) * ROWS;
  device const float* v = x + ulong(row_of[group.y]) * shape.x_stride;

  float scale = 1;
  if (shape.normed) scale = inverse_rms(v, shape.columns, shape.epsilon, squares, thread_index);
  float sums[ROWS] = {0, 0, 0, 0};
  for (uint first = 0; first < shape.columns; first += CHUNK) {
    if (first > 0) threadgroup_barrier(mem_flags::mem_threadgroup);
    stage(v, gain, shape.normed, scale, first, shape.columns, staged, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    multiply(shape.type[matrix], w, shape.row_bytes[matrix], first_row, shape.rows[matrix], first, shape.columns, staged, lane, sums);
  }
  for (uint r = 0; r < ROWS; r++) {
    const float sum = simd_sum(sums[r]);
    if (lane == r && first_row + r < shape.rows[matrix]) {
      y[first_row + r] = shape.adds ? y[first_row + r] + sum : sum;
    }
  }
}

// y[v] = silu(Wgate * n) * (Wup * n),  n = norm(x[v]).
//
//   x      vectors x x_stride     gate, up   rows x columns     y   vectors x y_stride
//   gain   columns                grid       ceil(rows / 16), vectors
struct GateUpShape {
  uint columns;
  uint x_stride;
  float epsilon;
  uint rows;
  uint row_bytes[2];
  uint type[2];
  uint y_stride;
};

kernel void gate_up(
    device const float* x [[buffer(0)]],
    device const float* gain [[buffer(1)]],
    device const uchar* gate [[buffer(2)]],
    device const uchar* up [[buffer(3)]],
    device float* y [[buffer(4)]],
    constant GateUpShape& shape [[buffer(5)]],
    threadgroup float* staged [[threadgroup(0)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float squares[SIMDGROUPS];
  const uint first_row = (group.x * SIMDGROUPS + simdgroup) * ROWS;
  device const float* v = x + ulong(group.y) * shape.x_stride;
  const float scale = inverse_rms(v, shape.columns, shape.epsilon, squares, thread_index);
  float gates[ROWS] = {0, 0, 0, 0};
  float ups[ROWS] = {0, 0, 0, 0};
  for (uint first = 0; first < shape.columns; first += CHUNK) {
    if (first > 0) threadgroup_barrier(mem_flags::mem_threadgroup);
    stage(v, gain, true, scale, first, shape.columns, staged, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    multiply(shape.type[0], gate, shape.row_bytes[0], first_row, shape.rows, first, shape.columns, staged, lane, gates);
    multiply(shape.type[1], up, shape.row_bytes[1], first_row, shape.rows, first, shape.columns, staged, lane, ups);
  }
  for (uint r = 0; r < ROWS; r++) {
    const float g = simd_sum(gates[r]);
    const float u = simd_sum(ups[r]);
    if (lane == r && first_row + r < shape.rows) y[group.y * shape.y_stride + first_row + r] = g / (1 + exp(-g)) * u;
  }
}
