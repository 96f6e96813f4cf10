// Relaxed atomics on 32-bit values. The library checks their bounds and that nothing else touches them unordered.
namespace metal {
enum memory_order { memory_order_relaxed };
struct atomic_uint { uint value; };
struct atomic_int { int value; };
struct atomic_float { float value; };

#define MSL_ATOMIC(SPACE, A, T)                                                                    \
  MSL_INLINE T atomic_load_explicit(const volatile SPACE A* p, memory_order) {                     \
    return as_type<T>(msl_atomic_load((ulong)p));                                                  \
  }                                                                                                \
  MSL_INLINE void atomic_store_explicit(volatile SPACE A* p, T x, memory_order) {                  \
    msl_atomic_store((ulong)p, as_type<uint>(x));                                                  \
  }                                                                                                \
  MSL_INLINE bool atomic_compare_exchange_weak_explicit(                                           \
      volatile SPACE A* p, thread T* expected, T x, memory_order, memory_order) {                  \
    uint old = as_type<uint>(*expected);                                                           \
    bool done = msl_atomic_exchange((ulong)p, &old, as_type<uint>(x));                             \
    *expected = as_type<T>(old);                                                                   \
    return done;                                                                                   \
  }
#define MSL_ATOMIC_UPDATE(SPACE, A, T, name, result)                                               \
  MSL_INLINE T name(volatile SPACE A* p, T x, memory_order order) {                                \
    T old = atomic_load_explicit(p, order);                                                        \
    while (!atomic_compare_exchange_weak_explicit(p, &old, (T)(result), order, order)) {           \
    }                                                                                              \
    return old;                                                                                    \
  }
#define MSL_ATOMIC_ARITHMETIC(SPACE, A, T)                                                         \
  MSL_ATOMIC(SPACE, A, T)                                                                          \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_exchange_explicit, x)                                      \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_fetch_add_explicit, old + x)                               \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_fetch_sub_explicit, old - x)
#define MSL_ATOMIC_INTEGER(SPACE, A, T)                                                            \
  MSL_ATOMIC_ARITHMETIC(SPACE, A, T)                                                               \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_fetch_max_explicit, old > x ? old : x)                     \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_fetch_min_explicit, old < x ? old : x)                     \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_fetch_or_explicit, old | x)                                \
  MSL_ATOMIC_UPDATE(SPACE, A, T, atomic_fetch_and_explicit, old & x)
MSL_ATOMIC_INTEGER(device, atomic_uint, uint)
MSL_ATOMIC_INTEGER(device, atomic_int, int)
MSL_ATOMIC_ARITHMETIC(device, atomic_float, float)
MSL_ATOMIC_INTEGER(threadgroup, atomic_uint, uint)
MSL_ATOMIC_INTEGER(threadgroup, atomic_int, int)
}  // namespace metal
