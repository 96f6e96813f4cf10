// simdgroup_matrix of 8x8: every lane holds two elements. Which ones, Apple does not say; kernels must not rely on it.
namespace metal {
template <class T, int ROWS, int COLUMNS> struct simdgroup_matrix {
  static_assert(ROWS == 8 && COLUMNS == 8, "8x8 is the only shape");
  T element[2];
  simdgroup_matrix() = default;
  MSL_INLINE explicit simdgroup_matrix(T x) {  // x on the diagonal
    uint lane = msl_lane(), row = lane >> 2, column = (lane & 3) * 2;
    element[0] = column == row ? x : (T)0;
    element[1] = column + 1 == row ? x : (T)0;
  }
};
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;

template <class T, int ROWS = 8, int COLUMNS = 8>
MSL_INLINE simdgroup_matrix<T, ROWS, COLUMNS> make_filled_simdgroup_matrix(T x) {
  simdgroup_matrix<T, ROWS, COLUMNS> m;
  m.element[0] = m.element[1] = x;
  return m;
}

#define MSL_MATRIX_MEMORY(SPACE)                                                                    \
  template <class T> MSL_INLINE void simdgroup_load(                                                \
      thread simdgroup_matrix<T, 8, 8>& m, const SPACE T* from, ulong stride = 8,                   \
      ulong2 origin = ulong2(0ul), bool transpose = false) {                                        \
    uint lane = msl_lane(), row = lane >> 2, column = (lane & 3) * 2;                               \
    for (uint i = 0; i < 2; i++) {                                                                  \
      m.element[i] = transpose ? from[(origin.y + column + i) * stride + origin.x + row]            \
                               : from[(origin.y + row) * stride + origin.x + column + i];           \
    }                                                                                               \
  }                                                                                                 \
  template <class T> MSL_INLINE void simdgroup_store(                                               \
      simdgroup_matrix<T, 8, 8> m, SPACE T* to, ulong stride = 8,                                   \
      ulong2 origin = ulong2(0ul), bool transpose = false) {                                        \
    uint lane = msl_lane(), row = lane >> 2, column = (lane & 3) * 2;                               \
    for (uint i = 0; i < 2; i++) {                                                                  \
      if (transpose) to[(origin.y + column + i) * stride + origin.x + row] = m.element[i];          \
      else to[(origin.y + row) * stride + origin.x + column + i] = m.element[i];                    \
    }                                                                                               \
  }
MSL_MATRIX_MEMORY(device)
MSL_MATRIX_MEMORY(threadgroup)

// d = a * b + c
template <class D, class A, class B, class C> MSL_INLINE void simdgroup_multiply_accumulate(
    thread simdgroup_matrix<D, 8, 8>& d, thread simdgroup_matrix<A, 8, 8>& a,
    thread simdgroup_matrix<B, 8, 8>& b, thread simdgroup_matrix<C, 8, 8>& c) {
  float in[6] = {(float)a.element[0], (float)a.element[1], (float)b.element[0],
                 (float)b.element[1], (float)c.element[0], (float)c.element[1]};
  float out[2];
  msl_simd(MSL_MULTIPLY_ACCUMULATE, in, out, 0);
  d.element[0] = (D)out[0];
  d.element[1] = (D)out[1];
}
template <class D, class A, class B> MSL_INLINE void simdgroup_multiply(
    thread simdgroup_matrix<D, 8, 8>& d, thread simdgroup_matrix<A, 8, 8>& a,
    thread simdgroup_matrix<B, 8, 8>& b) {
  simdgroup_matrix<D, 8, 8> zero = make_filled_simdgroup_matrix<D>((D)0);
  simdgroup_multiply_accumulate(d, a, b, zero);
}
}  // namespace metal
