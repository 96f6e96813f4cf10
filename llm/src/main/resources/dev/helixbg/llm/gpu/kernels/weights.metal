// Element types of weights, with code that reads sixteen weights of a row.
//
// A row is read in units of 32 weights. A unit has two sides of 16 weights. If a format has two weights in a byte, side 0 has the low
// nibbles of 16 bytes, and side 1 has the high nibbles, so that both sides can be loaded together. Each type defines the column of the row
// at which a side begins (always a multiple of 16), and `hold`, which loads the side. The formats are those of ggml; Dequantize.java
// describes them.

// Sixteen weights: scale * q - minimum. `hold` keeps each weight of a quantised type in a byte of `held`, which takes few registers, and
// `numbers` converts four of these bytes to floats. `load` converts all sixteen weights at once. Weights that are stored as floats are kept
// in q.
struct Weights16 {
  uint4 held;
  float4 q[4];
  float scale;
  float minimum;
};

// Loads 4 bytes. Blocks of 18, 34 or 210 bytes are aligned to two bytes only.
inline uint load_uint(device const uchar* at) {
  device const ushort* halves = (device const ushort*)at;
  return uint(halves[0]) | uint(halves[1]) << 16;
}

// Loads 16 bytes as aligned 4-byte words. Also reads up to 4 bytes before or after the 16 bytes.
inline uint4 load_uints(device const uchar* at) {
  const uint off = uint(ulong(at)) & 2;
  device const uint* words = (device const uint*)(at - off);
  uint4 four;
#pragma unroll
  for (uint i = 0; i < 4; i++) four[i] = uint((ulong(words[i + 1]) << 32 | words[i]) >> (8 * off));
  return four;
}

inline float load_half(device const uchar* at) { return float(*(device const half*)at); }

inline float4 bytes(uint four) { return float4(as_type<uchar4>(four)); }

inline uint nibbles(uint four, uint side) { return (four >> (4 * side)) & 0x0F0F0F0Fu; }

// Returns the scale and the minimum of sub-block `sub` (0 to 7) from the first 16 bytes of a block of Q4_K or Q5_K: d, m, and 12 bytes of
// 6-bit numbers. The code has no branch for the first and the last four sub-blocks, because a branch would delay later loads.
inline float2 scale_and_minimum(uint4 head, uint sub) {
  const uint shift = sub % 4 * 8;
  const uint scales = head.y >> shift, minima = head.z >> shift, rest = head.w >> shift;
  const uint scale = sub < 4 ? scales & 63 : (rest & 15) | (scales >> 6 & 3) << 4;
  const uint minimum = sub < 4 ? minima & 63 : (rest >> 4 & 15) | (minima >> 6 & 3) << 4;
  const half2 d = as_type<half2>(head.x);
  return float2(float(d.x) * float(scale), float(d.y) * float(minimum));
}

// Converts held bytes as unsigned numbers, as most types need.
struct InBytes {
  static float4 numbers(thread const Weights16& w, uint i) { return bytes(w.held[i]); }
};

// Blocks of 256 weights: d, m, 12 bytes of scales and minima, 128 bytes of nibbles. The low nibbles contain sub-blocks 2k, the high nibbles
// sub-blocks 2k + 1.
struct Q4_K : InBytes {
  static uint column(uint unit, uint side) { return unit / 2 * 64 + unit % 2 * 16 + side * 32; }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    device const uchar* block = row + unit / 8 * 144;
    const uint4 packed = *(device const uint4*)(block + 16 + unit % 8 * 16);
    const float2 factors = scale_and_minimum(*(device const uint4*)block, unit % 8 / 2 * 2 + side);
#pragma unroll
    for (uint i = 0; i < 4; i++) w.held[i] = nibbles(packed[i], side);
    w.scale = factors.x;
    w.minimum = factors.y;
  }
};

// Like Q4_K, with 32 more bytes before the nibbles. Bit `sub` of byte j of these bytes is the fifth bit of weight j in sub-block `sub`.
struct Q5_K : InBytes {
  static uint column(uint unit, uint side) { return Q4_K::column(unit, side); }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    device const uchar* block = row + unit / 8 * 176;
    const uint sub = unit % 8 / 2 * 2 + side;
    const uint4 high = *(device const uint4*)(block + 16 + unit % 2 * 16);
    const uint4 packed = *(device const uint4*)(block + 48 + unit % 8 * 16);
    const float2 factors = scale_and_minimum(*(device const uint4*)block, sub);
#pragma unroll
    for (uint i = 0; i < 4; i++) w.held[i] = nibbles(packed[i], side) | (high[i] >> sub & 0x01010101u) << 4;
    w.scale = factors.x;
    w.minimum = factors.y;
  }
};

// Blocks of 256 weights in two halves of 128. First come 64 bytes for each half with the lower 4 bits (weights 0-63 in the low nibbles,
// 64-127 in the high nibbles). Then come 32 bytes for each half with the upper 2 bits (four weights 32 apart in a byte), 16 signed scales,
// and d. 32 is subtracted from each weight.
struct Q6_K : InBytes {
  static uint column(uint unit, uint side) { return unit / 4 * 128 + unit % 4 * 16 + side * 64; }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    device const uchar* block = row + unit / 8 * 210;
    const uint part = unit % 8 / 4, at = unit % 4;
    device const uchar* low = block + part * 64 + at * 16;
    device const uchar* high = block + 128 + part * 32 + at % 2 * 16;
    const uint shift = at / 2 * 2 + side * 4;
    const uint4 lows = load_uints(low), highs = load_uints(high);
#pragma unroll
    for (uint i = 0; i < 4; i++) w.held[i] = nibbles(lows[i], side) | (highs[i] >> shift & 0x03030303u) << 4;
    w.scale = load_half(block + 208) * float(((device const char*)block)[192 + part * 8 + at + side * 4]);
    w.minimum = 32 * w.scale;
  }
};

// Types whose weights are stored in order: blocks of 32 weights, or floats.
struct InOrder : InBytes {
  static uint column(uint unit, uint side) { return unit * 32 + side * 16; }
};

// Blocks of 32 weights: d, 32 signed bytes.
struct Q8_0 : InOrder {
  static float4 numbers(thread const Weights16& w, uint i) { return float4(as_type<char4>(w.held[i])); }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    device const uchar* block = row + unit * 34;
#pragma unroll
    for (uint i = 0; i < 4; i++) w.held[i] = load_uint(block + 2 + side * 16 + 4 * i);
    w.scale = load_half(block);
    w.minimum = 0;
  }
};

// Loads weights that are stored as floats, from rows of any length. It loads four at a time if they are aligned in all rows, otherwise one
// by one. Weights after the end of the row are zero.
template <typename T>
inline void plain(device const uchar* row, uint first, uint columns, thread Weights16& w) {
  const bool whole = columns % 4 == 0 && first + 16 <= columns;
#pragma unroll
  for (uint i = 0; i < 4; i++) {
    if (whole) {
      w.q[i] = T::four(row, first + 4 * i);
    } else {
#pragma unroll
      for (uint j = 0; j < 4; j++) w.q[i][j] = first + 4 * i + j < columns ? T::one(row, first + 4 * i + j) : 0.0f;
    }
  }
  w.scale = 1;
  w.minimum = 0;
}

struct InNumbers : InOrder {
  static float4 numbers(thread const Weights16& w, uint i) { return w.q[i]; }
};

struct F32 : InNumbers {
  static float4 four(device const uchar* row, uint at) { return *(device const float4*)(row + 4 * at); }
  static float one(device const uchar* row, uint at) { return ((device const float*)row)[at]; }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    plain<F32>(row, column(unit, side), columns, w);
  }
};

struct F16 : InNumbers {
  static float4 four(device const uchar* row, uint at) { return float4(*(device const half4*)(row + 2 * at)); }
  static float one(device const uchar* row, uint at) { return float(((device const half*)row)[at]); }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    plain<F16>(row, column(unit, side), columns, w);
  }
};

struct BF16 : InNumbers {
  static float4 four(device const uchar* row, uint at) {
    const ushort4 v = *(device const ushort4*)(row + 2 * at);
    return float4(wide(v.x), wide(v.y), wide(v.z), wide(v.w));
  }
  static float one(device const uchar* row, uint at) { return wide(((device const ushort*)row)[at]); }
  static float wide(ushort v) { return as_type<float>(uint(v) << 16); }
  static void hold(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
    plain<BF16>(row, column(unit, side), columns, w);
  }
};

// Loads sixteen weights and converts them to floats.
template <class T> inline void load(device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
  T::hold(row, unit, side, columns, w);
#pragma unroll
  for (uint i = 0; i < 4; i++) w.q[i] = T::numbers(w, i);
}

// The functions below select one of the types for which this library is compiled: 0 means TYPE_A, 1 TYPE_B, 2 TYPE_C. All threads of a
// threadgroup must pass the same type.
inline uint column_of(uint type, uint unit, uint side) {
#ifdef TYPE_B
  if (type == 1) return TYPE_B::column(unit, side);
#endif
#ifdef TYPE_C
  if (type == 2) return TYPE_C::column(unit, side);
#endif
  return TYPE_A::column(unit, side);
}

inline float4 numbers(uint type, thread const Weights16& w, uint i) {
#ifdef TYPE_B
  if (type == 1) return TYPE_B::numbers(w, i);
#endif
#ifdef TYPE_C
  if (type == 2) return TYPE_C::numbers(w, i);
#endif
  return TYPE_A::numbers(w, i);
}

inline void load_weights(uint type, device const uchar* row, uint unit, uint side, uint columns, thread Weights16& w) {
#ifdef TYPE_B
  if (type == 1) return load<TYPE_B>(row, unit, side, columns, w);
#endif
#ifdef TYPE_C
  if (type == 2) return load<TYPE_C>(row, unit, side, columns, w);
#endif
  load<TYPE_A>(row, unit, side, columns, w);
}

// Loads both sides of a unit, which are read from the same memory.
inline void load_unit(uint type, device const uchar* row, uint unit, uint columns, thread Weights16& first, thread Weights16& second) {
#ifdef TYPE_B
  if (type == 1) {
    load<TYPE_B>(row, unit, 0, columns, first);
    return load<TYPE_B>(row, unit, 1, columns, second);
  }
#endif
#ifdef TYPE_C
  if (type == 2) {
    load<TYPE_C>(row, unit, 0, columns, first);
    return load<TYPE_C>(row, unit, 1, columns, second);
  }
#endif
  load<TYPE_A>(row, unit, 0, columns, first);
  load<TYPE_A>(row, unit, 1, columns, second);
}
