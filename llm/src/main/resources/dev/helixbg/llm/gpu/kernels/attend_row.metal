// Attention of one row, GROUP heads, and one of `splits` parts of its positions. If q is fresh, this also normalises and rotates it,
// and the part that ends with the row's own position writes k and v into the cache; so the rows must be of different sequences.
//
// A simdgroup takes every fourth block. First each lane has a position: its score with every head. Then each lane has columns: the
// sum of values weighed by exp(score - largest so far). Partial results are combined as (largest, sum of weights, weighed values).
//
//   q, target   rows x heads x HEAD      partials   rows x heads x splits x (HEAD4 + 4): values, largest, sum
//   grid        heads / GROUP, splits, rows
kernel void attend_row(
    device const float* q [[buffer(0)]],
    device const float* k [[buffer(1)]],
    device const float* v [[buffer(2)]],
    device const float* q_gain [[buffer(3)]],
    device const float* k_gain [[buffer(4)]],
    device const float* angles [[buffer(5)]],
    device CACHE* cache [[buffer(6)]],
    device const RowPlace* places [[buffer(7)]],
    device const uint* blocks [[buffer(8)]],
    constant AttentionShape& shape [[buffer(9)]],
    device float* target [[buffer(10)]],
    device float* partials [[buffer(11)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float queries[GROUP * HEAD4];
  threadgroup float weights[SIMDGROUPS * GROUP * BLOCK];
  threadgroup float results[SIMDGROUPS * HEAD4];
  threadgroup float largest_of[SIMDGROUPS * GROUP];
  threadgroup float sum_of[SIMDGROUPS * GROUP];
  const uint row = group.z, first_head = group.x * GROUP;
  const uint kv_head = first_head / (shape.heads / shape.kv_heads);
  const uint position = places[row].position;
  device const uint* table = blocks + places[row].table;
  const uint all_blocks = position / BLOCK + 1;
  const uint share = (all_blocks + shape.splits - 1) / shape.splits;
  const uint begin = group.y * share, end = min(begin + share, all_blocks);
  const float factor = rsqrt(float(HEAD));

  device const float* row_q = q + ulong(row) * shape.q_stride + first_head * HEAD;
  if (shape.fresh) {
    device const float* turn = angles + ulong(position) * HEAD;
    for (uint g = simdgroup; g < GROUP; g += SIMDGROUPS) {
      normalise_and_rotate(row_q + g * HEAD, q_gain, shape.q_epsilon, turn, factor, queries + g * HEAD4, lane);
    }
    if (begin < end && end == all_blocks) {
      device CACHE* keys = keys_of(cache, table[position / BLOCK], shape, kv_head);
      const ulong from = ulong(row) * shape.kv_stride + kv_head * HEAD;
      if (simdgroup == SIMDGROUPS - 1) {
        normalise_and_rotate(k + from, k_gain, shape.k_epsilon, turn, 1, results, lane);
        for (uint i = lane; i < PAIRS; i += 32) {
          keys[key_place(position % BLOCK, i)] = CACHE(results[i]);
          keys[key_place(position % BLOCK, i + PAIRS)] = CACHE(results[i + PAIRS]);
        }
      } else if (simdgroup == 0) {
        for (uint i = lane; i < HEAD; i += 32) keys[value_place(position % BLOCK, i)] = CACHE(v[from + i]);
      }
    }
  } else {
    for (uint i = thread_index; i < GROUP * HEAD4; i += 32 * SIMDGROUPS) {
      queries[i] = i % HEAD4 < HEAD ? row_q[i / HEAD4 * HEAD + i % HEAD4] * factor : 0.0f;
    }
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);

  float largest[GROUP], sum[GROUP];
  float4 out[GROUP][LANE_FOURS];
  for (uint g = 0; g < GROUP; g++) {
    largest[g] = -FLT_MAX;
    sum[g] = 0;
    for (uint c = 0; c < LANE_FOURS; c++) out[g][c] = float4(0.0f);
  }
  threadgroup float* own_weights = weights + simdgroup * GROUP * BLOCK;
  for (uint b = begin + simdgroup; b < end; b += SIMDGROUPS) {
    device const CACHE* keys = keys_of(cache, table[b], shape, kv_head);
    const uint count = min(BLOCK, position + 1 - b * BLOCK);
    float scores[GROUP];
    for (uint g = 0; g < GROUP; g++) scores[g] = 0;
    if (lane < count) {
      for (uint c = 0; c < HEAD4 / 4; c++) {
        const float4 key = four(keys + (c * BLOCK + lane) * 4);
        for (uint g = 0; g < GROUP; g++) scores[g] += dot(key, *(threadgroup const float4*)(queries + g * HEAD4 + 4 * c));
      }
    }
    for (uint g = 0; g < GROUP; g++) {
      const float before = largest[g];
      largest[g] = max(before, simd_max(lane < count ? scores[g] : -FLT_MAX));
      const float weight = lane < count ? exp(scores[g] - largest[g]) : 0.0f;
      const float shrink = exp(before - largest[g]);
      sum[g] = sum[g] * shrink + simd_sum(weight);
      for (uint c = 0; c < LANE_FOURS; c++) out[g][c] *= shrink;
      own_weights[g * BLOCK + lane] = weight;
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint c = 0; c < LANE_FOURS; c++) {
      const uint column = (c * 32 + lane) * 4;
      if (column < HEAD4) {
        for (uint p = 0; p < count; p++) {
          const float4 value = four(keys + value_place(p, column));
          for (uint g = 0; g < GROUP; g++) out[g][c] += own_weights[g * BLOCK + p] * value;
        }
      }
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }

  // The four simdgroups' results into one.
  if (lane == 0) {
    for (uint g = 0; g < GROUP; g++) {
      largest_of[simdgroup * GROUP + g] = largest[g];
      sum_of[simdgroup * GROUP + g] = sum[g];
    }
  }
  for (uint g = 0; g < GROUP; g++) {
    for (uint c = 0; c < LANE_FOURS; c++) {
      const uint column = (c * 32 + lane) * 4;
      if (column < HEAD4) *(threadgroup float4*)(results + simdgroup * HEAD4 + column) = out[g][c];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float most = -FLT_MAX, total = 0;
    for (uint s = 0; s < SIMDGROUPS; s++) most = max(most, largest_of[s * GROUP + g]);
    for (uint s = 0; s < SIMDGROUPS; s++) total += sum_of[s * GROUP + g] * exp(largest_of[s * GROUP + g] - most);
    const uint head = first_head + g;
    device float* partial = partials + ((ulong(row) * shape.heads + head) * shape.splits + group.y) * (HEAD4 + 4);
    for (uint i = thread_index; i < HEAD; i += 32 * SIMDGROUPS) {
      float value = 0;
      for (uint s = 0; s < SIMDGROUPS; s++) value += results[s * HEAD4 + i] * exp(largest_of[s * GROUP + g] - most);
      if (shape.splits == 1) {
        target[ulong(row) * shape.target_stride + head * HEAD + i] = value / total;
      } else {
        partial[i] = value;
      }
    }
    if (shape.splits > 1 && thread_index == 0) {
      partial[HEAD4] = most;
      partial[HEAD4 + 1] = total;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

// The parts of attend_row into one: a simdgroup per row and head.
//
//   partials   rows x heads x splits x (HEAD4 + 4)     target   rows x target_stride     grid   heads, rows
kernel void combine(
    device const float* partials [[buffer(0)]],
    device float* target [[buffer(1)]],
    constant AttentionShape& shape [[buffer(2)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  device const float* parts = partials + (ulong(group.y) * shape.heads + group.x) * shape.splits * (HEAD4 + 4);
  float most = -FLT_MAX, total = 0;
  for (uint s = 0; s < shape.splits; s++) most = max(most, parts[s * (HEAD4 + 4) + HEAD4]);
  for (uint s = 0; s < shape.splits; s++) {
    total += parts[s * (HEAD4 + 4) + HEAD4 + 1] * exp(parts[s * (HEAD4 + 4) + HEAD4] - most);
  }
  for (uint i = lane; i < HEAD; i += 32) {
    float value = 0;
    for (uint s = 0; s < shape.splits; s++) value += parts[s * (HEAD4 + 4) + i] * exp(parts[s * (HEAD4 + 4) + HEAD4] - most);
    target[ulong(group.y) * shape.target_stride + group.x * HEAD + i] = value / total;
  }
}
