// The layout of keys and values in the cache, and code that the attention kernels share.
//
// The code is compiled for given values of HEAD (values per head) and GROUP (query heads that a threadgroup computes together; they share a
// key head). The cache is one buffer of blocks. A block has 32 positions in all layers. For each layer and key head, a block contains:
//   keys     [HEAD4 / 4][32 positions][4]   lanes that read one position each read adjacent memory
//   values   [32 positions][HEAD4]          lanes that read a few columns each read adjacent memory
// HEAD4 is HEAD rounded up to a multiple of 4; values from HEAD on are zero. A sequence is a list of blocks.
#define HEAD4 ((HEAD + 3) / 4 * 4)
constant constexpr uint BLOCK = 32;
constant constexpr uint PAIRS = HEAD / 2;
constant constexpr uint LANE_PAIRS = (PAIRS + 31) / 32;
constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint LANE_FOURS = (HEAD4 / 4 + 31) / 32;   // number of float4s of a head per lane

// Place of a row of the batch in its sequence.
struct RowPlace {
  uint position;
  uint table;      // index of the sequence's first block in `blocks`
};

struct AttentionShape {
  uint heads;
  uint kv_heads;
  uint layers;
  uint layer;
  uint q_stride;
  uint kv_stride;
  uint target_stride;
  uint splits;
  uint fresh;      // whether q, k and v come from their projection and are not yet normalised and rotated
  float q_epsilon;
  float k_epsilon;
};

// Returns the address of a block's first key for a layer and a head. The block's values begin BLOCK * HEAD4 numbers after this address.
inline device half* keys_of(device half* cache, uint block, constant AttentionShape& shape, uint kv_head) {
  return cache + ((ulong(block) * shape.layers + shape.layer) * shape.kv_heads + kv_head) * (2 * BLOCK * HEAD4);
}

inline uint key_place(uint slot, uint column) { return (column / 4 * BLOCK + slot) * 4 + column % 4; }
inline uint value_place(uint slot, uint column) { return BLOCK * HEAD4 + slot * HEAD4 + column; }

// Computes target = rotate(norm(head)) * factor with one simdgroup, and zeros from HEAD to HEAD4. Only lane i % 32 reads and writes pair i.
// `angles` has PAIRS cosines, then PAIRS sines.
inline void normalise_and_rotate(
    device const float* head, device const float* gain, float epsilon, device const float* angles, float factor,
    threadgroup float* target, uint lane) {
  float a[LANE_PAIRS], b[LANE_PAIRS], turned[LANE_PAIRS][4], squares = 0;
#pragma unroll
  for (uint j = 0; j < LANE_PAIRS; j++) {
    const uint i = j * 32 + lane;
    if (i < PAIRS) {
      a[j] = head[i];
      b[j] = head[i + PAIRS];
      turned[j][0] = gain[i] * angles[i];
      turned[j][1] = gain[i + PAIRS] * angles[PAIRS + i];
      turned[j][2] = gain[i] * angles[PAIRS + i];
      turned[j][3] = gain[i + PAIRS] * angles[i];
      squares += a[j] * a[j] + b[j] * b[j];
    }
  }
  const float scale = rsqrt(simd_sum(squares) / float(HEAD) + epsilon) * factor;
#pragma unroll
  for (uint j = 0; j < LANE_PAIRS; j++) {
    const uint i = j * 32 + lane;
    if (i < PAIRS) {
      target[i] = (a[j] * turned[j][0] - b[j] * turned[j][1]) * scale;
      target[i + PAIRS] = (a[j] * turned[j][2] + b[j] * turned[j][3]) * scale;
    }
  }
  if (lane < HEAD4 - HEAD) target[HEAD + lane] = 0;
}

// Rounds numbers to half precision, as the cache does.
inline float4 as_cached(float4 v) { return float4(half4(v)); }

// Loads the key of this lane's position in a block.
inline void load_key(device const half* keys, uint lane, thread half4* key) {
#pragma unroll
  for (uint c = 0; c < HEAD4 / 4; c++) key[c] = *(device const half4*)(keys + (c * BLOCK + lane) * 4);
}

// Loads this lane's columns of all values of a block.
inline void load_values(device const half* keys, uint lane, thread half4* values) {
#pragma unroll
  for (uint c = 0; c < LANE_FOURS; c++) {
    const uint column = min(c * 32 + lane, uint(HEAD4 / 4 - 1)) * 4;
#pragma unroll
    for (uint p = 0; p < BLOCK; p++) values[c * BLOCK + p] = *(device const half4*)(keys + value_place(p, column));
  }
}
