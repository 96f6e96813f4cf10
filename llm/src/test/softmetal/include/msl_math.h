// The math of MSL that kernels use, over scalars and vectors. This is no proof of fast math's rounding.
namespace metal {
template <class T> MSL_INLINE T exp(T x) { return __builtin_elementwise_exp(x); }
template <class T> MSL_INLINE T rsqrt(T x) { return (T)1 / __builtin_elementwise_sqrt(x); }
template <class T> MSL_INLINE T max(T a, T b) { return __builtin_elementwise_max(a, b); }
template <class T> MSL_INLINE T min(T a, T b) { return __builtin_elementwise_min(a, b); }
template <class T> MSL_INLINE T fma(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }
MSL_INLINE float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
}  // namespace metal
