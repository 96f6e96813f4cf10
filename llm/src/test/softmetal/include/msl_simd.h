// What the 32 lanes of a simdgroup do together, and the barriers.
namespace metal {
enum class mem_flags : uint { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
MSL_INLINE mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((uint)a | (uint)b); }
// Inlined, so that the return address that the library sees is the place in the kernel.
MSL_INLINE void threadgroup_barrier(mem_flags flags) { msl_barrier((uint)flags); }
MSL_INLINE void simdgroup_barrier(mem_flags flags) { msl_simd(MSL_BARRIER, nullptr, nullptr, (uint)flags); }

#define MSL_REDUCE(name, T, op) MSL_INLINE T name(T x) { T r; msl_simd(op, &x, &r, 0); return r; }
#define MSL_REDUCE_AS(name, T, W) MSL_INLINE T name(T x) { return (T)name((W)x); }
#define MSL_REDUCE_VECTOR(name, T)                                                                \
  MSL_INLINE T##2 name(T##2 v) { v.x = name(v.x); v.y = name(v.y); return v; }                    \
  MSL_INLINE T##4 name(T##4 v) { v.xy = name(v.xy); v.zw = name(v.zw); return v; }
#define MSL_ARITHMETIC(name, OP)                                                                  \
  MSL_REDUCE(name, float, MSL_##OP##_F) MSL_REDUCE(name, int, MSL_##OP##_I)                       \
  MSL_REDUCE_AS(name, half, float) MSL_REDUCE_AS(name, short, int) MSL_REDUCE_AS(name, char, int)
MSL_ARITHMETIC(simd_sum, SUM)
MSL_REDUCE(simd_sum, uint, MSL_SUM_I)
MSL_REDUCE_AS(simd_sum, ushort, uint)
MSL_REDUCE_VECTOR(simd_sum, float)
MSL_ARITHMETIC(simd_max, MAX)
MSL_REDUCE(simd_max, uint, MSL_MAX_U)
MSL_REDUCE_AS(simd_max, ushort, uint)
MSL_REDUCE_VECTOR(simd_max, float)
MSL_ARITHMETIC(simd_min, MIN)
MSL_REDUCE(simd_min, uint, MSL_MIN_U)
MSL_REDUCE_AS(simd_min, ushort, uint)
MSL_REDUCE_VECTOR(simd_min, float)
MSL_REDUCE(simd_product, float, MSL_PRODUCT_F)
MSL_REDUCE(simd_and, uint, MSL_AND)
MSL_REDUCE(simd_or, uint, MSL_OR)
MSL_REDUCE(simd_xor, uint, MSL_XOR)
MSL_REDUCE(simd_prefix_exclusive_sum, float, MSL_PREFIX_EXCLUSIVE_F)
MSL_REDUCE(simd_prefix_inclusive_sum, float, MSL_PREFIX_INCLUSIVE_F)
MSL_REDUCE(simd_prefix_exclusive_sum, int, MSL_PREFIX_EXCLUSIVE_I)
MSL_REDUCE(simd_prefix_inclusive_sum, int, MSL_PREFIX_INCLUSIVE_I)
MSL_REDUCE(simd_prefix_exclusive_sum, uint, MSL_PREFIX_EXCLUSIVE_I)
MSL_REDUCE(simd_prefix_inclusive_sum, uint, MSL_PREFIX_INCLUSIVE_I)

MSL_INLINE bool simd_any(bool b) { return simd_max((uint)b); }
MSL_INLINE bool simd_all(bool b) { return simd_min((uint)b); }
MSL_INLINE bool simd_is_first() {
  uint lane = msl_lane();
  return simd_min(lane) == lane;
}
struct simd_vote {
  typedef ulong vote_t;
  ulong bits;
  explicit operator vote_t() const { return bits; }
  bool any() const { return bits != 0; }
};
MSL_INLINE simd_vote simd_ballot(bool b) {
  uint in = b;
  ulong bits;
  msl_simd(MSL_BALLOT, &in, &bits, 0);
  simd_vote vote;
  vote.bits = bits;
  return vote;
}

// Each lane takes the value of another; the library refuses lanes that take no part.
template <class T> MSL_INLINE T msl_take(T x, uint from) {
  static_assert(sizeof(T) <= 16, "a value of at most 16 bytes");
  T r;
  msl_simd(MSL_SHUFFLE, &x, &r, (uint)sizeof(T) | (from << 8));
  return r;
}
template <class T> MSL_INLINE T simd_shuffle(T x, ushort lane) { return msl_take(x, lane); }
template <class T> MSL_INLINE T simd_broadcast(T x, ushort lane) { return msl_take(x, lane); }
template <class T> MSL_INLINE T simd_shuffle_xor(T x, ushort mask) { return msl_take(x, msl_lane() ^ mask); }
template <class T> MSL_INLINE T simd_shuffle_down(T x, ushort delta) {
  uint lane = msl_lane();
  return msl_take(x, lane + delta > 31 ? lane : lane + delta);
}
template <class T> MSL_INLINE T simd_shuffle_up(T x, ushort delta) {
  uint lane = msl_lane();
  return msl_take(x, lane < delta ? lane : lane - delta);
}
template <class T> MSL_INLINE T simd_broadcast_first(T x) { return msl_take(x, simd_min(msl_lane())); }
template <class T> MSL_INLINE T quad_sum(T x) {
  x += simd_shuffle_xor(x, 1);
  return x + simd_shuffle_xor(x, 2);
}
}  // namespace metal
