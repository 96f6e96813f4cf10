// What the 32 lanes of a simdgroup do together, and the barriers.
namespace metal {
enum class mem_flags : uint { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
MSL_INLINE mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((uint)a | (uint)b); }
// Inlined, so that the return address that the library sees is the place in the kernel.
MSL_INLINE void threadgroup_barrier(mem_flags flags) { msl_barrier((uint)flags); }
MSL_INLINE void simdgroup_barrier(mem_flags flags) { msl_simd(MSL_BARRIER, nullptr, nullptr, (uint)flags); }

#define MSL_REDUCE(name, T, op) MSL_INLINE T name(T x) { T r; msl_simd(op, &x, &r, 0); return r; }
MSL_REDUCE(simd_sum, float, MSL_SUM)
MSL_REDUCE(simd_max, float, MSL_MAX)
MSL_REDUCE(simd_min, uint, MSL_MIN)

// Each lane takes the value of another; the library refuses lanes that take no part.
template <class T> MSL_INLINE T msl_take(T x, uint from) {
  static_assert(sizeof(T) <= 16, "a value of at most 16 bytes");
  T r;
  msl_simd(MSL_SHUFFLE, &x, &r, (uint)sizeof(T) | (from << 8));
  return r;
}
template <class T> MSL_INLINE T simd_shuffle_xor(T x, ushort mask) { return msl_take(x, msl_lane() ^ mask); }
}  // namespace metal
