// What the kernels and the library that runs them must agree on; read by clang as MSL and by g++ as C++.
#ifndef SOFTMETAL_LAUNCH_H
#define SOFTMETAL_LAUNCH_H

// What is the same for all threads of a threadgroup. Sizes in threads or threadgroups, as (x, y, z).
struct msl_group {
  unsigned position[3];        // of the threadgroup in the grid
  unsigned threads[3];         // of this threadgroup; fewer at the edge of dispatchThreads
  unsigned nominal[3];         // threads of a whole threadgroup
  unsigned groups[3];          // in the grid
  unsigned grid[3];            // threads in the grid
  unsigned simdgroups;         // of this threadgroup
};

// One thread: its group, and where it is in it.
struct msl_thread {
#ifdef SOFTMETAL_HOST
  const msl_group* group;
#else
  const __global msl_group* group;
#endif
  unsigned position[3];
  unsigned index;
};

// What the lanes of a simdgroup do together.
enum msl_op {
  MSL_SUM_F, MSL_SUM_I, MSL_PRODUCT_F, MSL_MAX_F, MSL_MAX_I, MSL_MAX_U, MSL_MIN_F, MSL_MIN_I, MSL_MIN_U,
  MSL_AND, MSL_OR, MSL_XOR, MSL_PREFIX_EXCLUSIVE_F, MSL_PREFIX_INCLUSIVE_F, MSL_PREFIX_EXCLUSIVE_I,
  MSL_PREFIX_INCLUSIVE_I, MSL_BALLOT, MSL_SHUFFLE, MSL_MULTIPLY_ACCUMULATE, MSL_BARRIER
};

#endif
