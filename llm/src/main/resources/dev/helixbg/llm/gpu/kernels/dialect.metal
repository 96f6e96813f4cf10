// What differs from GPU to GPU. As it stands here it is Metal; what makes other code of these sources defines the names before.

// Before it reads what the dispatch before wrote; elsewhere a kernel may start earlier.
#ifndef AWAIT
#define AWAIT()
#endif

// d0 += a0 * b, d1 += a1 * b: some GPUs multiply 16 rows at a time.
#ifndef MULTIPLY_PAIR
#define MULTIPLY_PAIR(d0, d1, a0, a1, b)       \
  simdgroup_multiply_accumulate(d0, a0, b, d0); \
  simdgroup_multiply_accumulate(d1, a1, b, d1)
#endif

// m times a diagonal matrix. Lane l knows the factor of column l / 4.
#ifndef SCALE_COLUMNS
#define SCALE_COLUMNS(m, diagonal, factor) simdgroup_multiply(m, m, diagonal)
#endif
