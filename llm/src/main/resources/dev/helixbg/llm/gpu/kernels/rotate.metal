// Rotates q and k in place and writes k and v into the cache, for batches for which attend_row does not do this itself. One simdgroup
// processes one row and head.
//
//   q   rows x q_stride     k, v   rows x kv_stride     angles   positions x HEAD
//   grid   ceil((heads + 2 kv_heads) / 4), rows
[[max_total_threads_per_threadgroup(128)]]
kernel void rotate(
    device float* q [[buffer(0)]],
    device float* k [[buffer(1)]],
    device const float* v [[buffer(2)]],
    device const float* q_gain [[buffer(3)]],
    device const float* k_gain [[buffer(4)]],
    device const float* angles [[buffer(5)]],
    device half* cache [[buffer(6)]],
    device const RowPlace* places [[buffer(7)]],
    device const uint* blocks [[buffer(8)]],
    constant AttentionShape& shape [[buffer(9)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float heads[SIMDGROUPS * HEAD4];
  const uint job = group.x * SIMDGROUPS + simdgroup, row = group.y;
  if (job >= shape.heads + 2 * shape.kv_heads) return;
  const uint position = places[row].position, slot = position % BLOCK;
  const uint block = blocks[places[row].table + position / BLOCK];
  device const float* turn = angles + ulong(position) * HEAD;
  threadgroup float* head = heads + simdgroup * HEAD4;
  if (job < shape.heads) {
    device float* from = q + ulong(row) * shape.q_stride + job * HEAD;
    normalise_and_rotate(from, q_gain, shape.q_epsilon, turn, 1, head, lane);
    for (uint i = lane; i < PAIRS; i += 32) {
      from[i] = head[i];
      from[i + PAIRS] = head[i + PAIRS];
    }
  } else if (job < shape.heads + shape.kv_heads) {
    const uint kv_head = job - shape.heads;
    device float* from = k + ulong(row) * shape.kv_stride + kv_head * HEAD;
    normalise_and_rotate(from, k_gain, shape.k_epsilon, turn, 1, head, lane);
    device half* keys = keys_of(cache, block, shape, kv_head);
    for (uint i = lane; i < PAIRS; i += 32) {
      from[i] = head[i];
      from[i + PAIRS] = head[i + PAIRS];
      keys[key_place(slot, i)] = half(head[i]);
      keys[key_place(slot, i + PAIRS)] = half(head[i + PAIRS]);
    }
  } else {
    const uint kv_head = job - shape.heads - shape.kv_heads;
    device const float* from = v + ulong(row) * shape.kv_stride + kv_head * HEAD;
    device half* keys = keys_of(cache, block, shape, kv_head);
    for (uint i = lane; i < HEAD; i += 32) keys[value_place(slot, i)] = half(from[i]);
  }
}
