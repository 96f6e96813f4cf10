// Attention for long spans (prefill), for heads of up to 128 values. A span is a run of consecutive rows of one sequence.
#if HEAD <= 128

// Up to 32 successive rows of one sequence.
struct Tile {
  uint first_row;
  uint count;
  uint position;   // position of the first row in its sequence
  uint table;      // index of the sequence's first block in `blocks`
};

// A threadgroup computes a tile and a head; each of its 4 simdgroups computes 8 rows. For each block of the cache, it copies the keys into
// threadgroup memory, while the next data is already being loaded. It computes scores = keys * queries^T, with a row for each position and
// a column for each query. It computes the softmax as attend_row does; multiplying by a diagonal matrix scales down the columns of the
// earlier result. It copies the values over the keys in threadgroup memory and computes result += values^T * weights.
//
//   q   rows x q_stride, rotated      target   rows x target_stride     grid   heads, tiles
#define HEAD8 ((HEAD + 15) / 16 * 16)
// Rows in threadgroup memory end with unused floats, so that lanes that read pairs along rows (keys) or along columns (values) do not use
// the same memory bank.
#define KEY_STRIDE (HEAD8 + 8)
#define VALUE_STRIDE (HEAD8 + 4)
constant constexpr uint FOURS = (BLOCK * HEAD8 / 4 + 32 * SIMDGROUPS - 1) / (32 * SIMDGROUPS);   // half4s of a block that each thread copies

// Loads this thread's share of a block's keys.
inline void load_keys(device const half* keys, uint thread_index, thread half4* fours) {
#pragma unroll
  for (uint j = 0; j < FOURS; j++) {
    const uint i = j * 32 * SIMDGROUPS + thread_index, slot = i % BLOCK, column = i / BLOCK * 4;
    fours[j] = half4(half(0));
    if (column < HEAD4) fours[j] = *(device const half4*)(keys + key_place(slot, column));
  }
}

[[max_total_threads_per_threadgroup(128)]]
kernel void attend_tile(
    device const float* q [[buffer(0)]],
    device half* cache [[buffer(1)]],
    device const Tile* tiles [[buffer(2)]],
    device const uint* blocks [[buffer(3)]],
    constant AttentionShape& shape [[buffer(4)]],
    device float* target [[buffer(5)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 staged_fours[BLOCK * KEY_STRIDE / 4];
  threadgroup float* staged = (threadgroup float*)staged_fours;
  threadgroup float all_scores[SIMDGROUPS * BLOCK * 8];
  threadgroup float diagonals[SIMDGROUPS * 64];
  const uint head = group.x, kv_head = head / (shape.heads / shape.kv_heads);
  const uint count = tiles[group.y].count, start = tiles[group.y].position, first_row = tiles[group.y].first_row;
  device const uint* table = blocks + tiles[group.y].table;
  threadgroup float* scores = all_scores + simdgroup * BLOCK * 8;   // [position][row]
  threadgroup float* diagonal = diagonals + simdgroup * 64;

  // Copy the queries, with zeros after the tile's last row and after the head's last value.
  const float factor = rsqrt(float(HEAD));
  for (uint i = thread_index; i < BLOCK * HEAD8; i += 32 * SIMDGROUPS) {
    const uint r = i / HEAD8, c = i % HEAD8;
    float value = 0;
    if (r < count && c < HEAD) value = q[ulong(first_row + r) * shape.q_stride + head * HEAD + c] * factor;
    staged[r * KEY_STRIDE + c] = value;
  }
  diagonal[lane] = 0;
  diagonal[lane + 32] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 query[HEAD8 / 8], result[HEAD8 / 8];   // result: columns of the head by rows of the tile
#pragma unroll
  for (uint d = 0; d < HEAD8 / 8; d++) {
    simdgroup_load(query[d], staged + simdgroup * 8 * KEY_STRIDE + 8 * d, KEY_STRIDE, ulong2(0, 0), true);
    result[d] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }

  // Four lanes share a row's scores. Each has every fourth score.
  const uint own_row = lane / 4;
  const uint limit = start + simdgroup * 8 + own_row;
  float largest = -FLT_MAX, sum = 0;
  const uint end = (start + count - 1) / BLOCK + 1;
  half4 next[FOURS];
  load_keys(keys_of(cache, table[0], shape, kv_head), thread_index, next);
  for (uint b = 0; b < end; b++) {
    device half* keys = keys_of(cache, table[b], shape, kv_head);
    threadgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
    for (uint j = 0; j < FOURS; j++) {
      const uint i = j * 32 * SIMDGROUPS + thread_index, slot = i % BLOCK, column = i / BLOCK * 4;
      const bool used = column < HEAD4 && b * BLOCK + slot < start + count;
      if (column < HEAD8) staged_fours[(slot * KEY_STRIDE + column) / 4] = used ? float4(next[j]) : float4(0.0f);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    half4 values[FOURS];
#pragma unroll
    for (uint j = 0; j < FOURS; j++) {
      const uint i = j * 32 * SIMDGROUPS + thread_index, slot = i / (HEAD8 / 4), column = i % (HEAD8 / 4) * 4;
      values[j] = half4(half(0));
      if (column < HEAD4 && slot < BLOCK) values[j] = *(device const half4*)(keys + value_place(slot, column));
    }
    simdgroup_float8x8 products[4], key[4];
#pragma unroll
    for (uint s = 0; s < 4; s++) products[s] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
#pragma unroll
    for (uint d = 0; d < HEAD8 / 8; d++) {
#pragma unroll
      for (uint s = 0; s < 4; s++) simdgroup_load(key[s], staged + s * 8 * KEY_STRIDE + 8 * d, KEY_STRIDE);
      MULTIPLY_PAIR(products[0], products[1], key[0], key[1], query[d]);
      MULTIPLY_PAIR(products[2], products[3], key[2], key[3], query[d]);
    }
#pragma unroll
    for (uint s = 0; s < 4; s++) simdgroup_store(products[s], scores + 64 * s, 8);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    const float before = largest;
    float own_scores[BLOCK / 4];
#pragma unroll
    for (uint i = 0; i < BLOCK / 4; i++) {
      own_scores[i] = b * BLOCK + 4 * i + lane % 4 <= limit ? scores[(4 * i + lane % 4) * 8 + own_row] : -FLT_MAX;
      largest = max(largest, own_scores[i]);
    }
    largest = max(largest, simd_shuffle_xor(largest, 1));
    largest = max(largest, simd_shuffle_xor(largest, 2));
    const float shrink = exp(before - largest);
    float weights = 0;
#pragma unroll
    for (uint i = 0; i < BLOCK / 4; i++) {
      const float weight = exp(own_scores[i] - largest);
      scores[(4 * i + lane % 4) * 8 + own_row] = weight;
      weights += weight;
    }
    sum = sum * shrink + weights;
    if (lane % 4 == 0) diagonal[own_row * 9] = shrink;

    threadgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
    for (uint j = 0; j < FOURS; j++) {
      const uint i = j * 32 * SIMDGROUPS + thread_index, slot = i / (HEAD8 / 4), column = i % (HEAD8 / 4) * 4;
      const bool used = b * BLOCK + slot < start + count;
      if (slot < BLOCK) staged_fours[(slot * VALUE_STRIDE + column) / 4] = used ? float4(values[j]) : float4(0.0f);
    }
    if (b + 1 < end) load_keys(keys_of(cache, table[b + 1], shape, kv_head), thread_index, next);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 shrinks, weight[4], value[2];
    simdgroup_load(shrinks, diagonal, 8);
#pragma unroll
    for (uint s = 0; s < 4; s++) simdgroup_load(weight[s], scores + 64 * s, 8);
#pragma unroll
    for (uint d = 0; d < HEAD8 / 8; d += 2) {
      SCALE_COLUMNS(result[d], shrinks, shrink);
      SCALE_COLUMNS(result[d + 1], shrinks, shrink);
#pragma unroll
      for (uint s = 0; s < 4; s++) {
#pragma unroll
        for (uint i = 0; i < 2; i++) {
          simdgroup_load(value[i], staged + s * 8 * VALUE_STRIDE + 8 * (d + i), VALUE_STRIDE, ulong2(0, 0), true);
        }
        MULTIPLY_PAIR(result[d], result[d + 1], value[0], value[1], weight[s]);
      }
    }
  }
  sum += simd_shuffle_xor(sum, 1);
  sum += simd_shuffle_xor(sum, 2);

  threadgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
  for (uint d = 0; d < HEAD8 / 8; d++) {
    simdgroup_store(result[d], staged + simdgroup * 8 * KEY_STRIDE + 8 * d, KEY_STRIDE, ulong2(0, 0), true);
  }
  if (lane % 4 == 0) diagonal[own_row * 9] = 1 / sum;
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = lane; i < 8 * HEAD; i += 32) {
    const uint r = i / HEAD, c = i % HEAD, row = simdgroup * 8 + r;
    if (row < count) {
      target[ulong(first_row + row) * shape.target_stride + head * HEAD + c] = staged[row * KEY_STRIDE + c] * diagonal[r * 9];
    }
  }
}

#endif
