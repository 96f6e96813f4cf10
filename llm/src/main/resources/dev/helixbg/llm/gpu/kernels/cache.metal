// How keys and values lie in the cache; what the kernels over them share.
//
// Compiled for HEAD (values per head), GROUP (query heads that a threadgroup takes together; they share a key head), and CACHE with
// CACHE4 (half and half4, or float and float4). The cache is one buffer of blocks of 32 positions in all layers. A block holds per layer and key head
//   keys     [HEAD4 / 4][32 positions][4]   lanes that take a position each read side by side
//   values   [32 positions][HEAD4]          lanes that take a few columns each read side by side
// with HEAD4 = HEAD rounded up to 4, zero past HEAD. A sequence is a list of blocks.
#define HEAD4 ((HEAD + 3) / 4 * 4)
constant constexpr uint BLOCK = 32;
constant constexpr uint PAIRS = HEAD / 2;
constant constexpr uint SIMDGROUPS = 4;
constant constexpr uint LANE_FOURS = (HEAD4 / 4 + 31) / 32;   // float4s of a head that a lane owns

// Where each row of the batch stands in its sequence.
struct RowPlace {
  uint position;
  uint table;      // its sequence's first block in `blocks`
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
  uint fresh;      // whether q, k and v come straight from their projection
  float q_epsilon;
  float k_epsilon;
};

// The first key of a block's part for a layer and head; the values follow BLOCK * HEAD4 further.
inline device CACHE* keys_of(device CACHE* cache, uint block, constant AttentionShape& shape, uint kv_head) {
  return cache + ((ulong(block) * shape.layers + shape.layer) * shape.kv_heads + kv_head) * (2 * BLOCK * HEAD4);
}

inline uint key_place(uint slot, uint column) { return (column / 4 * BLOCK + slot) * 4 + column % 4; }
inline uint value_place(uint slot, uint column) { return BLOCK * HEAD4 + slot * HEAD4 + column; }

// target = rotate(norm(head)) * factor, by one simdgroup; zero from HEAD to HEAD4. Pair i is read and written by lane i % 32 alone.
// `angles`: PAIRS cosines, then PAIRS sines.
inline void normalise_and_rotate(
    device const float* head, device const float* gain, float epsilon, device const float* angles, float factor,
    threadgroup float* target, uint lane) {
  float squares = 0;
  for (uint i = lane; i < PAIRS; i += 32) squares += head[i] * head[i] + head[i + PAIRS] * head[i + PAIRS];
  const float scale = rsqrt(simd_sum(squares) / float(HEAD) + epsilon);
  for (uint i = lane; i < PAIRS; i += 32) {
    const float a = head[i] * scale * gain[i];
    const float b = head[i + PAIRS] * scale * gain[i + PAIRS];
    target[i] = (a * angles[i] - b * angles[PAIRS + i]) * factor;
    target[i + PAIRS] = (a * angles[PAIRS + i] + b * angles[i]) * factor;
  }
  if (lane < HEAD4 - HEAD) target[HEAD + lane] = 0;
}

// Four numbers of the cache as floats.
inline float4 four(device const CACHE* at) { return float4(*(device const CACHE4*)at); }
