// Math of MSL over scalars and vectors. fast and precise are the same here: this is no proof of fast math's rounding.
namespace metal {
#define MSL_UNARY(name, builtin) template <class T> MSL_INLINE T name(T x) { return builtin(x); }
MSL_UNARY(sqrt, __builtin_elementwise_sqrt)
MSL_UNARY(exp, __builtin_elementwise_exp)
MSL_UNARY(exp2, __builtin_elementwise_exp2)
MSL_UNARY(log, __builtin_elementwise_log)
MSL_UNARY(log2, __builtin_elementwise_log2)
MSL_UNARY(log10, __builtin_elementwise_log10)
MSL_UNARY(sin, __builtin_elementwise_sin)
MSL_UNARY(cos, __builtin_elementwise_cos)
MSL_UNARY(tan, __builtin_elementwise_tan)
MSL_UNARY(tanh, __builtin_elementwise_tanh)
MSL_UNARY(floor, __builtin_elementwise_floor)
MSL_UNARY(ceil, __builtin_elementwise_ceil)
MSL_UNARY(rint, __builtin_elementwise_rint)
MSL_UNARY(round, __builtin_elementwise_round)
MSL_UNARY(trunc, __builtin_elementwise_trunc)
MSL_UNARY(fabs, __builtin_elementwise_abs)
MSL_UNARY(abs, __builtin_elementwise_abs)
template <class T> MSL_INLINE T rsqrt(T x) { return (T)1 / sqrt(x); }
template <class T> MSL_INLINE T fract(T x) { return x - floor(x); }
template <class T> MSL_INLINE T pow(T x, T y) { return __builtin_elementwise_pow(x, y); }
template <class T> MSL_INLINE T powr(T x, T y) { return __builtin_elementwise_pow(x, y); }
template <class T> MSL_INLINE T max(T a, T b) { return __builtin_elementwise_max(a, b); }
template <class T> MSL_INLINE T min(T a, T b) { return __builtin_elementwise_min(a, b); }
template <class T> MSL_INLINE T fmax(T a, T b) { return __builtin_elementwise_max(a, b); }
template <class T> MSL_INLINE T fmin(T a, T b) { return __builtin_elementwise_min(a, b); }
template <class T> MSL_INLINE T max3(T a, T b, T c) { return max(max(a, b), c); }
template <class T> MSL_INLINE T min3(T a, T b, T c) { return min(min(a, b), c); }
template <class T> MSL_INLINE T fmod(T a, T b) { return a - b * trunc(a / b); }
template <class T> MSL_INLINE T fma(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }
template <class T> MSL_INLINE T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <class T> MSL_INLINE T saturate(T x) { return min(max(x, (T)0), (T)1); }
template <class T> MSL_INLINE T mix(T a, T b, T t) { return a + (b - a) * t; }
template <class T> MSL_INLINE T sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x; }
template <class T> MSL_INLINE T step(T edge, T x) { return x < edge ? (T)0 : (T)1; }
template <class T> MSL_INLINE T select(T a, T b, bool c) { return c ? b : a; }
template <class T> MSL_INLINE T divide(T a, T b) { return a / b; }
template <class T> MSL_INLINE T ldexp(T x, int k) { return x * exp2((T)k); }
template <class T> MSL_INLINE T sincos(T x, thread T& c) { c = cos(x); return sin(x); }

#define MSL_DOT(T)                                                                               \
  MSL_INLINE T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                             \
  MSL_INLINE T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                 \
  MSL_INLINE T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
MSL_DOT(float)
MSL_DOT(half)
template <class V> MSL_INLINE auto length_squared(V v) { return dot(v, v); }
template <class V> MSL_INLINE auto length(V v) { return sqrt(dot(v, v)); }

MSL_INLINE bool isnan(float x) { return __builtin_isnan(x); }
MSL_INLINE bool isinf(float x) { return __builtin_isinf(x); }
MSL_INLINE bool isfinite(float x) { return !__builtin_isnan(x) && !__builtin_isinf(x); }
MSL_INLINE uint popcount(uint x) { return __builtin_popcount(x); }
MSL_INLINE uint clz(uint x) { return x ? __builtin_clz(x) : 32; }
MSL_INLINE uint ctz(uint x) { return x ? __builtin_ctz(x) : 32; }
MSL_INLINE uint extract_bits(uint x, uint offset, uint bits) {
  return bits == 0 ? 0 : (x >> offset) & (0xffffffffu >> (32 - bits));
}

namespace precise {
using metal::cos; using metal::divide; using metal::exp; using metal::exp2; using metal::log; using metal::log2;
using metal::fmax; using metal::fmin; using metal::max; using metal::min; using metal::pow; using metal::rsqrt;
using metal::sin; using metal::sincos; using metal::sqrt; using metal::tan; using metal::tanh; using metal::fma;
}
namespace fast {
using metal::cos; using metal::divide; using metal::exp; using metal::exp2; using metal::log; using metal::log2;
using metal::fmax; using metal::fmin; using metal::max; using metal::min; using metal::pow; using metal::rsqrt;
using metal::sin; using metal::sincos; using metal::sqrt; using metal::tan; using metal::tanh; using metal::fma;
}
}  // namespace metal
