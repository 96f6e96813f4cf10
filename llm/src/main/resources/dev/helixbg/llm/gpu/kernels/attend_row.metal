// Number of blocks in a part of a row's positions. A part has more blocks if there would be more than MOST_PARTS parts. The size of the
// parts does not depend on the other rows, so a row's result does not depend on the other rows either. The row with the most positions
// decides the number of parts. Parts for which a row has no blocks add nothing to its result.
constant constexpr uint PART_BLOCKS = 4;   // one per simdgroup, all loaded at once
constant constexpr uint MOST_PARTS = 32;

// Computes the attention of one row and GROUP heads for one of `splits` parts of its positions. If `fresh`, it also normalises and rotates
// q. The part that ends with the row's own position then writes k and v into the cache, so the rows must be of different sequences.
//
// A simdgroup takes every fourth block of the part. A lane loads all keys and values that it needs of a block at once. It loads the keys
// and values of the first block before anything else. The row's own key and value come from threadgroup memory, so that no thread waits
// until they are in the cache. First, each lane computes the scores of one position with every head. Then each lane computes some columns
// of the result: the sum of the values, weighted by exp(score - largest score so far). Partial results are combined as triples (largest
// score, sum of weights, sum of weighted values).
//
//   q, target   rows x heads x HEAD      partials   rows x heads x splits x (HEAD4 + 4): values, largest, sum
//   grid        heads / GROUP, splits, rows
[[max_total_threads_per_threadgroup(128)]]
kernel void attend_row(
    device const float* q [[buffer(0)]],
    device const float* k [[buffer(1)]],
    device const float* v [[buffer(2)]],
    device const float* q_gain [[buffer(3)]],
    device const float* k_gain [[buffer(4)]],
    device const float* angles [[buffer(5)]],
    device half* cache [[buffer(6)]],
    device const RowPlace* places [[buffer(7)]],
    device const uint* blocks [[buffer(8)]],
    constant AttentionShape& shape [[buffer(9)]],
    device float* target [[buffer(10)]],
    device float* partials [[buffer(11)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 queries[GROUP * HEAD4 / 4];
  threadgroup float4 own[2 * HEAD4 / 4];             // the row's own key and value
  threadgroup float weights[SIMDGROUPS * GROUP * BLOCK];
  threadgroup float4 results[SIMDGROUPS * GROUP * HEAD4 / 4];
  threadgroup float largest_of[SIMDGROUPS * GROUP];
  threadgroup float sum_of[SIMDGROUPS * GROUP];
  const uint row = group.z, first_head = group.x * GROUP;
  const uint kv_head = first_head / (shape.heads / shape.kv_heads);
  const uint position = places[row].position, all_blocks = position / BLOCK + 1, slot = position % BLOCK;
  device const uint* table = blocks + places[row].table;
  const uint share = max(PART_BLOCKS, (all_blocks + MOST_PARTS - 1) / MOST_PARTS);
  const uint begin = group.y * share, end = min(begin + share, all_blocks);
  const float factor = rsqrt(float(HEAD));

  uint b = begin + simdgroup;
  half4 key[HEAD4 / 4], values[LANE_FOURS * BLOCK];
  if (b < end) {
    load_key(keys_of(cache, table[b], shape, kv_head), lane, key);
#ifdef MANY_REGISTERS
    load_values(keys_of(cache, table[b], shape, kv_head), lane, values);
#endif
  }
  AWAIT();
  device const float* row_q = q + ulong(row) * shape.q_stride + first_head * HEAD;
  if (shape.fresh) {
    const ulong from = ulong(row) * shape.kv_stride + kv_head * HEAD;
    device const float* turn = angles + ulong(position) * HEAD;
    for (uint job = simdgroup; job < GROUP + 2; job += SIMDGROUPS) {
      if (job < GROUP) {
        normalise_and_rotate(row_q + job * HEAD, q_gain, shape.q_epsilon, turn, factor, (threadgroup float*)(queries + job * (HEAD4 / 4)), lane);
      } else if (job == GROUP) {
        normalise_and_rotate(k + from, k_gain, shape.k_epsilon, turn, 1, (threadgroup float*)own, lane);
      } else {
        threadgroup float* own_value = (threadgroup float*)(own + HEAD4 / 4);
        for (uint i = lane; i < HEAD4; i += 32) own_value[i] = i < HEAD ? v[from + i] : 0.0f;
      }
    }
  } else {
    for (uint i = thread_index; i < GROUP * HEAD4; i += 32 * SIMDGROUPS) {
      ((threadgroup float*)queries)[i] = i % HEAD4 < HEAD ? row_q[i / HEAD4 * HEAD + i % HEAD4] * factor : 0.0f;
    }
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);

  float largest[GROUP], sum[GROUP];
  float4 out[GROUP][LANE_FOURS];
#pragma unroll
  for (uint g = 0; g < GROUP; g++) {
    largest[g] = -FLT_MAX;
    sum[g] = 0;
#pragma unroll
    for (uint c = 0; c < LANE_FOURS; c++) out[g][c] = float4(0.0f);
  }
  threadgroup float* own_weights = weights + simdgroup * GROUP * BLOCK;
  for (; b < end; b += SIMDGROUPS) {
    const uint count = min(BLOCK, position + 1 - b * BLOCK);
    const bool last = shape.fresh && b == all_blocks - 1;
    float scores[GROUP], own_scores[GROUP];
#pragma unroll
    for (uint g = 0; g < GROUP; g++) {
      scores[g] = 0;
      own_scores[g] = 0;
    }
#pragma unroll
    for (uint c = 0; c < HEAD4 / 4; c++) {
      const float4 four = float4(key[c]);
#pragma unroll
      for (uint g = 0; g < GROUP; g++) scores[g] += dot(four, queries[g * (HEAD4 / 4) + c]);
    }
#ifndef MANY_REGISTERS
    load_values(keys_of(cache, table[b], shape, kv_head), lane, values);
#endif
    if (last) {
#pragma unroll
      for (uint g = 0; g < GROUP; g++) {
        for (uint c = lane; c < HEAD4 / 4; c += 32) own_scores[g] += dot(as_cached(own[c]), queries[g * (HEAD4 / 4) + c]);
        own_scores[g] = simd_sum(own_scores[g]);
      }
    }
#pragma unroll
    for (uint g = 0; g < GROUP; g++) {
      const float before = largest[g], score = last && lane == slot ? own_scores[g] : scores[g];
      largest[g] = max(before, simd_max(lane < count ? score : -FLT_MAX));
      const float weight = lane < count ? exp(score - largest[g]) : 0.0f;
      const float shrink = exp(before - largest[g]);
      sum[g] = sum[g] * shrink + simd_sum(weight);
#pragma unroll
      for (uint c = 0; c < LANE_FOURS; c++) out[g][c] *= shrink;
      own_weights[g * BLOCK + lane] = last && lane == slot ? 0.0f : weight;
      own_scores[g] = last ? exp(own_scores[g] - largest[g]) : 0.0f;
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
    for (uint c = 0; c < LANE_FOURS; c++) {
#pragma unroll
      for (uint p = 0; p < BLOCK; p++) {
        const float4 four = p < count ? float4(values[c * BLOCK + p]) : float4(0.0f);
#pragma unroll
        for (uint g = 0; g < GROUP; g++) out[g][c] += own_weights[g * BLOCK + p] * four;
      }
      const uint column = min(c * 32 + lane, uint(HEAD4 / 4 - 1));
      if (last) {
#pragma unroll
        for (uint g = 0; g < GROUP; g++) out[g][c] += own_scores[g] * as_cached(own[HEAD4 / 4 + column]);
      }
    }
    simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    if (last) {
      device half* keys = keys_of(cache, table[b], shape, kv_head);
      for (uint i = lane; i < HEAD4; i += 32) {
        keys[key_place(slot, i)] = half(((threadgroup float*)own)[i]);
        keys[value_place(slot, i)] = half(((threadgroup float*)own)[HEAD4 + i]);
      }
    }
    if (b + SIMDGROUPS < end) {
      load_key(keys_of(cache, table[b + SIMDGROUPS], shape, kv_head), lane, key);
#ifdef MANY_REGISTERS
      load_values(keys_of(cache, table[b + SIMDGROUPS], shape, kv_head), lane, values);
#endif
    }
  }

  // Combine the results of the four simdgroups.
#pragma unroll
  for (uint g = 0; g < GROUP; g++) {
    if (lane == 0) {
      largest_of[simdgroup * GROUP + g] = largest[g];
      sum_of[simdgroup * GROUP + g] = sum[g];
    }
#pragma unroll
    for (uint c = 0; c < LANE_FOURS; c++) {
      const uint column = c * 32 + lane;
      if (column < HEAD4 / 4) results[(simdgroup * GROUP + g) * (HEAD4 / 4) + column] = out[g][c];
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
  for (uint g = 0; g < GROUP; g++) {
    float most = -FLT_MAX, total = 0, factors[SIMDGROUPS];
#pragma unroll
    for (uint s = 0; s < SIMDGROUPS; s++) most = max(most, largest_of[s * GROUP + g]);
#pragma unroll
    for (uint s = 0; s < SIMDGROUPS; s++) {
      factors[s] = exp(largest_of[s * GROUP + g] - most);
      total += sum_of[s * GROUP + g] * factors[s];
    }
    const uint head = first_head + g;
    device float* partial = partials + ((ulong(row) * shape.heads + head) * shape.splits + group.y) * (HEAD4 + 4);
    for (uint i = thread_index; i < HEAD; i += 32 * SIMDGROUPS) {
      float result = 0;
#pragma unroll
      for (uint s = 0; s < SIMDGROUPS; s++) result += ((threadgroup float*)results)[(s * GROUP + g) * HEAD4 + i] * factors[s];
      if (shape.splits == 1) {
        target[ulong(row) * shape.target_stride + head * HEAD + i] = result / total;
      } else {
        partial[i] = result;
      }
    }
    if (shape.splits > 1 && thread_index == 0) {
      partial[HEAD4] = most;
      partial[HEAD4 + 1] = total;
    }
  }
}

// Combines the results of attend_row for all parts. A threadgroup of 4 simdgroups combines the results of one row and head.
//
//   partials   rows x heads x splits x (HEAD4 + 4)     target   rows x target_stride     grid   heads, rows
[[max_total_threads_per_threadgroup(128)]]
kernel void combine(
    device const float* partials [[buffer(0)]],
    device float* target [[buffer(1)]],
    constant AttentionShape& shape [[buffer(2)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  device const float* parts = partials + (ulong(group.y) * shape.heads + group.x) * shape.splits * (HEAD4 + 4);
  for (uint i = thread_index; i < HEAD; i += 32 * SIMDGROUPS) {
    float most = -FLT_MAX, total = 0, value = 0;
    for (uint first = 0; first < shape.splits; first += 4) {
      float largest[4], sums[4], values[4];
#pragma unroll
      for (uint s = 0; s < 4; s++) {
        device const float* part = parts + min(first + s, shape.splits - 1) * (HEAD4 + 4);
        largest[s] = part[HEAD4];
        sums[s] = first + s < shape.splits ? part[HEAD4 + 1] : 0.0f;
        values[s] = first + s < shape.splits ? part[i] : 0.0f;
      }
      const float before = most;
      most = max(max(most, max(largest[0], largest[1])), max(largest[2], largest[3]));
      const float shrink = exp(before - most);
      total *= shrink;
      value *= shrink;
#pragma unroll
      for (uint s = 0; s < 4; s++) {
        const float weight = exp(largest[s] - most);
        total += sums[s] * weight;
        value += values[s] * weight;
      }
    }
    target[ulong(group.y) * shape.target_stride + group.x * HEAD + i] = value / total;
  }
}
