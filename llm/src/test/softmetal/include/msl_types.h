// Scalars, vectors of 2 to 4 with the constructors that MSL has, as_type.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define MSL_VECTORS(T)                                                                          \
  typedef T T##2 __attribute__((ext_vector_type(2)));                                           \
  typedef T T##3 __attribute__((ext_vector_type(3)));                                           \
  typedef T T##4 __attribute__((ext_vector_type(4)));
MSL_VECTORS(float)
MSL_VECTORS(half)
MSL_VECTORS(uint)
MSL_VECTORS(int)
MSL_VECTORS(ushort)
MSL_VECTORS(short)
MSL_VECTORS(uchar)
MSL_VECTORS(char)
// No long3, long4: the memory checks see accesses of up to 16 bytes only.
typedef ulong ulong2 __attribute__((ext_vector_type(2)));
typedef long long2 __attribute__((ext_vector_type(2)));

template <class U> struct msl_is_vector { enum { value = 0 }; };
template <class E, int N> struct msl_is_vector<E __attribute__((ext_vector_type(N)))> { enum { value = 1 }; };

// A vector from another vector, element by element, or from one scalar for all.
template <class V, class U> MSL_INLINE V msl_vector(U u) {
  if constexpr (msl_is_vector<U>::value) return __builtin_convertvector(u, V);
  else return (V)(decltype(V{}.x + V{}.x))u;
}

#define MSL_CONSTRUCTORS_2(T)                                                                   \
  template <class U> MSL_INLINE T##2 msl_make_##T##2(U u) { return msl_vector<T##2>(u); }       \
  MSL_INLINE T##2 msl_make_##T##2() { return (T##2)(T)0; }                                      \
  MSL_INLINE T##2 msl_make_##T##2(T a, T b) { T##2 r; r.x = a; r.y = b; return r; }
#define MSL_CONSTRUCTORS(T)                                                                     \
  MSL_CONSTRUCTORS_2(T)                                                                         \
  template <class U> MSL_INLINE T##3 msl_make_##T##3(U u) { return msl_vector<T##3>(u); }       \
  MSL_INLINE T##3 msl_make_##T##3(T a, T b, T c) { T##3 r; r.x = a; r.y = b; r.z = c; return r; } \
  MSL_INLINE T##3 msl_make_##T##3(T##2 a, T c) { T##3 r; r.xy = a; r.z = c; return r; }         \
  MSL_INLINE T##3 msl_make_##T##3(T a, T##2 b) { T##3 r; r.x = a; r.yz = b; return r; }         \
  template <class U> MSL_INLINE T##4 msl_make_##T##4(U u) { return msl_vector<T##4>(u); }       \
  MSL_INLINE T##4 msl_make_##T##4() { return (T##4)(T)0; }                                      \
  MSL_INLINE T##4 msl_make_##T##4(T a, T b, T c, T d) { T##4 r; r.x = a; r.y = b; r.z = c; r.w = d; return r; } \
  MSL_INLINE T##4 msl_make_##T##4(T##2 a, T##2 b) { T##4 r; r.xy = a; r.zw = b; return r; }     \
  MSL_INLINE T##4 msl_make_##T##4(T##3 a, T b) { T##4 r; r.xyz = a; r.w = b; return r; }        \
  MSL_INLINE T##4 msl_make_##T##4(T a, T##3 b) { T##4 r; r.x = a; r.yzw = b; return r; }        \
  MSL_INLINE T##4 msl_make_##T##4(T##2 a, T b, T c) { T##4 r; r.xy = a; r.z = b; r.w = c; return r; }
MSL_CONSTRUCTORS(float)
MSL_CONSTRUCTORS(half)
MSL_CONSTRUCTORS(uint)
MSL_CONSTRUCTORS(int)
MSL_CONSTRUCTORS(ushort)
MSL_CONSTRUCTORS(short)
MSL_CONSTRUCTORS(uchar)
MSL_CONSTRUCTORS(char)
MSL_CONSTRUCTORS_2(ulong)
MSL_CONSTRUCTORS_2(long)

// clang has no float4(a, b, c, d), so that each name is a macro where a parenthesis follows it.
#define float2(...) msl_make_float2(__VA_ARGS__)
#define float3(...) msl_make_float3(__VA_ARGS__)
#define float4(...) msl_make_float4(__VA_ARGS__)
#define half2(...) msl_make_half2(__VA_ARGS__)
#define half3(...) msl_make_half3(__VA_ARGS__)
#define half4(...) msl_make_half4(__VA_ARGS__)
#define uint2(...) msl_make_uint2(__VA_ARGS__)
#define uint3(...) msl_make_uint3(__VA_ARGS__)
#define uint4(...) msl_make_uint4(__VA_ARGS__)
#define int2(...) msl_make_int2(__VA_ARGS__)
#define int3(...) msl_make_int3(__VA_ARGS__)
#define int4(...) msl_make_int4(__VA_ARGS__)
#define ushort2(...) msl_make_ushort2(__VA_ARGS__)
#define ushort3(...) msl_make_ushort3(__VA_ARGS__)
#define ushort4(...) msl_make_ushort4(__VA_ARGS__)
#define short2(...) msl_make_short2(__VA_ARGS__)
#define short3(...) msl_make_short3(__VA_ARGS__)
#define short4(...) msl_make_short4(__VA_ARGS__)
#define uchar2(...) msl_make_uchar2(__VA_ARGS__)
#define uchar3(...) msl_make_uchar3(__VA_ARGS__)
#define uchar4(...) msl_make_uchar4(__VA_ARGS__)
#define char2(...) msl_make_char2(__VA_ARGS__)
#define char3(...) msl_make_char3(__VA_ARGS__)
#define char4(...) msl_make_char4(__VA_ARGS__)
#define ulong2(...) msl_make_ulong2(__VA_ARGS__)
#define long2(...) msl_make_long2(__VA_ARGS__)

template <class T, class U> MSL_INLINE T as_type(U u) {
  static_assert(sizeof(T) == sizeof(U), "as_type needs types of the same size");
  return __builtin_bit_cast(T, u);
}

#define FLT_MAX 3.402823466e+38f
