// Macros that differ between GPU languages. The definitions here are for Metal. Compilers for other languages define the names beforehand.

// A kernel must call AWAIT before it reads data that the previous dispatch wrote. In Metal, AWAIT does nothing. On other GPUs, a kernel may
// start before the previous dispatch has ended.
#ifndef AWAIT
#define AWAIT()
#endif

// Computes d0 += a0 * b and d1 += a1 * b. Both products are one macro, because some GPUs multiply 16 rows at a time.
#ifndef MULTIPLY_PAIR
#define MULTIPLY_PAIR(d0, d1, a0, a1, b)       \
  simdgroup_multiply_accumulate(d0, a0, b, d0); \
  simdgroup_multiply_accumulate(d1, a1, b, d1)
#endif

// Multiplies m by a diagonal matrix. In lane l, `factor` is the factor of column l / 4.
#ifndef SCALE_COLUMNS
#define SCALE_COLUMNS(m, diagonal, factor) simdgroup_multiply(m, m, diagonal)
#endif
