// The parts of the Metal Shading Language that the kernels use, for NVIDIA GPUs. clang compiles this file as "C++ for OpenCL" for nvptx64.
// Types and mathematical functions come from the headers of the software Metal. This file has the features of a GPU: the indices of a
// thread, shuffles, barriers, and 8x8 matrices on tensor cores. PtxCompiler adds an entry point for each kernel.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define __METAL_VERSION__ 310
#define device __global
#define threadgroup __local
#define constant __constant  // PtxCompiler makes it generic: tables are in .global memory, structs are kernel parameters
#define thread __private
#define kernel __kernel
#define local msl_name_local
#define global msl_name_global
#define pipe msl_name_pipe
#define MSL_INLINE inline __attribute__((always_inline))
#define MSL_UNCHECKED
#define MANY_REGISTERS  // a thread has up to 255 registers, so kernels load more data at once

#include "msl_types.h"

// About as exact as Metal's fast math, with an error of about 2 ulp.
MSL_INLINE float msl_exp2(float x) { return __nvvm_ex2_approx_f(x); }
MSL_INLINE float msl_exp(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
MSL_INLINE float msl_log2(float x) { return __nvvm_lg2_approx_f(x); }
MSL_INLINE float msl_log(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
#define __builtin_elementwise_exp msl_exp
#define __builtin_elementwise_exp2 msl_exp2
#define __builtin_elementwise_log msl_log
#define __builtin_elementwise_log2 msl_log2
#include "msl_math.h"

// ---- indices of a thread; threadgroups are one-dimensional
template <class T> struct msl_three {
  static MSL_INLINE T of(uint x, uint, uint) { return x; }
};
template <> struct msl_three<uint2> {
  static MSL_INLINE uint2 of(uint x, uint y, uint) { return uint2(x, y); }
};
template <> struct msl_three<uint3> {
  static MSL_INLINE uint3 of(uint x, uint y, uint z) { return uint3(x, y, z); }
};
MSL_INLINE uint msl_lane() { return __nvvm_read_ptx_sreg_tid_x() % 32; }
template <class T> MSL_INLINE T msl_threadgroup_position_in_grid() {
  return msl_three<T>::of(__nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z());
}
template <class T> MSL_INLINE T msl_thread_index_in_threadgroup() { return __nvvm_read_ptx_sreg_tid_x(); }
template <class T> MSL_INLINE T msl_simdgroup_index_in_threadgroup() { return __nvvm_read_ptx_sreg_tid_x() / 32; }
template <class T> MSL_INLINE T msl_thread_index_in_simdgroup() { return msl_lane(); }
extern "C" threadgroup float* msl_dynamic_memory();  // memory of [[threadgroup(0)]]; PtxCompiler defines the function

// ---- dispatches: on GPUs that have the instructions, PtxLibrary replaces these comments by instructions
MSL_INLINE void msl_next_may_start() { asm volatile("// next" ::: "memory"); }
MSL_INLINE void msl_await_those_before() { asm volatile("// wait" ::: "memory"); }
#define AWAIT() msl_await_those_before()

// ---- simdgroups are warps
namespace metal {
enum class mem_flags : uint { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };
MSL_INLINE mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((uint)a | (uint)b); }
MSL_INLINE void threadgroup_barrier(mem_flags) { __syncthreads(); }
MSL_INLINE void simdgroup_barrier(mem_flags) { __nvvm_bar_warp_sync(0xffffffffu); }

MSL_INLINE float simd_shuffle_xor(float x, ushort mask) { return __nvvm_shfl_sync_bfly_f32(0xffffffffu, x, mask, 31); }
MSL_INLINE uint simd_shuffle_xor(uint x, ushort mask) { return __nvvm_shfl_sync_bfly_i32(0xffffffffu, x, mask, 31); }
MSL_INLINE float simd_shuffle(float x, ushort lane) { return __nvvm_shfl_sync_idx_f32(0xffffffffu, x, lane, 31); }
MSL_INLINE uint simd_shuffle(uint x, ushort lane) { return __nvvm_shfl_sync_idx_i32(0xffffffffu, x, lane, 31); }
#define MSL_REDUCE(name, T, combined)           \
  MSL_INLINE T name(T a) {                      \
    for (uint mask = 16; mask > 0; mask /= 2) { \
      const T b = simd_shuffle_xor(a, mask);    \
      a = combined;                             \
    }                                           \
    return a;                                   \
  }
MSL_REDUCE(simd_sum, float, a + b)
MSL_REDUCE(simd_sum, uint, a + b)
MSL_REDUCE(simd_max, float, max(a, b))
MSL_REDUCE(simd_max, uint, max(a, b))
MSL_REDUCE(simd_min, float, min(a, b))
MSL_REDUCE(simd_min, uint, min(a, b))

// ---- simdgroup_matrix
// Lane 4g + t has the elements (g, 2t) and (g, 2t + 1) in `own`, the layout of a result of mma.sync. After a load, it also has the elements
// (2t, g) and (2t + 1, g) in `turned`, the layout of mma.sync's right factor if the indices k of a product have the order 0 2 4 6 1 3 5 7.
// All functions are inlined, so the compiler removes loads of elements that are not used. A sum of products stays in the tensor core's
// format for a while: `chain` has the sum of the last `held` products, which is not yet added to `own`. For a single matrix, chain[i] and
// chain[2 + i] must be added up. For a matrix of a `pair`, only chain[0] and chain[1] are used.
template <class T, int ROWS, int COLUMNS> struct simdgroup_matrix {
  T own[2];
  T turned[2];
  bool has_turned;
  T chain[4];
  uint held;
  bool pair;
  simdgroup_matrix() = default;
  MSL_INLINE simdgroup_matrix(T x, bool turn) : own{x, x}, turned{x, x}, has_turned(turn), chain{0, 0, 0, 0}, held(0), pair(false) {}
};
constant constexpr uint MSL_MOST_HELD = 4;  // with more products, errors would show, because the core truncates where it should round
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;

template <class T, int ROWS = 8, int COLUMNS = 8> MSL_INLINE simdgroup_matrix<T, ROWS, COLUMNS> make_filled_simdgroup_matrix(T x) {
  return simdgroup_matrix<T, ROWS, COLUMNS>(x, false);
}

// Reads two adjacent floats at once, so rows must begin at even indices, as they do in all kernels.
MSL_INLINE void simdgroup_load(
    thread simdgroup_float8x8& m, const threadgroup float* from, ulong stride = 8, ulong2 origin = ulong2(0ul), bool transpose = false) {
  const uint g = msl_lane() / 4, t = msl_lane() % 4, step = stride;
  from += origin.y * stride + origin.x;
  const float2 pair = *(const threadgroup float2*)(from + g * step + 2 * t);
  for (uint i = 0; i < 2; i++) {
    const float along = i == 0 ? pair.x : pair.y, across = from[(2 * t + i) * step + g];
    m.own[i] = transpose ? across : along;
    m.turned[i] = transpose ? along : across;
  }
  m.has_turned = true;
  m.held = 0;
}

MSL_INLINE void msl_settle(thread simdgroup_float8x8& m) {
  if (m.held == 0) return;
  for (uint i = 0; i < 2; i++) m.own[i] += m.pair ? m.chain[i] : m.chain[i] + m.chain[2 + i];
  m.held = 0;
}

MSL_INLINE void simdgroup_store(
    simdgroup_float8x8 m, threadgroup float* to, ulong stride = 8, ulong2 origin = ulong2(0ul), bool transpose = false) {
  msl_settle(m);
  const uint g = msl_lane() / 4, t = msl_lane() % 4, step = stride;
  to += origin.y * stride + origin.x;
  if (transpose) {
    to[2 * t * step + g] = m.own[0];
    to[(2 * t + 1) * step + g] = m.own[1];
  } else {
    *(threadgroup float2*)(to + g * step + 2 * t) = float2(m.own[0], m.own[1]);
  }
}

MSL_INLINE void msl_turn(thread simdgroup_float8x8& m) {
  const uint g = msl_lane() / 4, t = msl_lane() % 4;
  for (uint i = 0; i < 2; i++) {
    const float even = simd_shuffle(m.own[0], (2 * t + i) * 4 + g / 2), odd = simd_shuffle(m.own[1], (2 * t + i) * 4 + g / 2);
    m.turned[i] = g % 2 ? odd : even;
  }
}

// Computes c += a * b on a tensor core: 16x8 times 8x8 numbers, of which the core reads only the upper 19 bits.
MSL_INLINE void msl_mma(thread float* c, float a0, float a1, float a2, float a3, float b0, float b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(as_type<uint>(a0)), "r"(as_type<uint>(a1)), "r"(as_type<uint>(a2)), "r"(as_type<uint>(a3)), "r"(as_type<uint>(b0)),
        "r"(as_type<uint>(b1)));
}
MSL_INLINE float msl_high(float x) { return as_type<float>(as_type<uint>(x) & 0xffffe000u); }

// Computes d = a * b + c. Each factor is split into a high part and the rest. The tensor core's 16x8 factor has the high part of a in its
// upper 8 rows and the rest of a in its lower 8 rows. It is multiplied by both parts of b.
MSL_INLINE void simdgroup_multiply_accumulate(
    thread simdgroup_float8x8& d, thread simdgroup_float8x8& a, thread simdgroup_float8x8& b, thread simdgroup_float8x8& c) {
  msl_settle(a);
  msl_settle(b);
  if (!b.has_turned) msl_turn(b);
  for (uint i = 0; i < 2; i++) d.own[i] = c.own[i];
  for (uint i = 0; i < 4; i++) d.chain[i] = c.held == 0 ? 0 : c.chain[i];
  d.held = c.held;
  const float a0 = msl_high(a.own[0]), a1 = msl_high(a.own[1]), b0 = msl_high(b.turned[0]), b1 = msl_high(b.turned[1]);
  const float rest0 = a.own[0] - a0, rest1 = a.own[1] - a1;
  msl_mma(d.chain, a0, rest0, a1, rest1, b0, b1);
  msl_mma(d.chain, a0, rest0, a1, rest1, b.turned[0] - b0, b.turned[1] - b1);
  d.has_turned = false;
  d.pair = false;
  d.held++;
  if (d.held == MSL_MOST_HELD) msl_settle(d);
}
MSL_INLINE void simdgroup_multiply(thread simdgroup_float8x8& d, thread simdgroup_float8x8& a, thread simdgroup_float8x8& b) {
  simdgroup_float8x8 zero(0.0f, false);
  simdgroup_multiply_accumulate(d, a, b, zero);
  msl_settle(d);
}

// Computes d0 += a0 * b and d1 += a1 * b as one product of 16 rows by 8 columns. Leaves out the product of the two rests, which is smaller
// than the rounding error.
MSL_INLINE void msl_multiply_pair(
    thread simdgroup_float8x8& d0, thread simdgroup_float8x8& d1, thread simdgroup_float8x8& a0, thread simdgroup_float8x8& a1,
    thread simdgroup_float8x8& b) {
  float c[4] = {0, 0, 0, 0};
  for (uint i = 0; i < 2 && d0.held > 0; i++) {
    c[i] = d0.chain[i];
    c[2 + i] = d1.chain[i];
  }
  float upper[2], lower[2], right[2];
  for (uint i = 0; i < 2; i++) {
    upper[i] = msl_high(a0.own[i]);
    lower[i] = msl_high(a1.own[i]);
    right[i] = msl_high(b.turned[i]);
  }
  msl_mma(c, a0.own[0] - upper[0], a1.own[0] - lower[0], a0.own[1] - upper[1], a1.own[1] - lower[1], right[0], right[1]);
  msl_mma(c, upper[0], lower[0], upper[1], lower[1], b.turned[0] - right[0], b.turned[1] - right[1]);
  msl_mma(c, upper[0], lower[0], upper[1], lower[1], right[0], right[1]);
  for (uint i = 0; i < 2; i++) {
    d0.chain[i] = c[i];
    d1.chain[i] = c[2 + i];
  }
  d0.has_turned = d1.has_turned = false;
  d0.pair = d1.pair = true;
  d0.held = ++d1.held;
  if (d0.held == MSL_MOST_HELD) {
    msl_settle(d0);
    msl_settle(d1);
  }
}

MSL_INLINE void msl_scale_columns(thread simdgroup_float8x8& m, float factor) {
  msl_settle(m);
  const ushort at = msl_lane() % 4 * 8;
  m.own[0] *= simd_shuffle(factor, at);
  m.own[1] *= simd_shuffle(factor, (ushort)(at + 4));
  m.has_turned = false;
}
}  // namespace metal
#define MULTIPLY_PAIR(d0, d1, a0, a1, b) msl_multiply_pair(d0, d1, a0, a1, b)
#define SCALE_COLUMNS(m, diagonal, factor) msl_scale_columns(m, factor)
