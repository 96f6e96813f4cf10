// What the kernels and the library that runs them must agree on; read by clang as MSL and by g++ as C++.
#ifndef SOFTMETAL_LAUNCH_H
#define SOFTMETAL_LAUNCH_H

// What is the same for all threads of a threadgroup, as (x, y, z).
struct msl_group {
  unsigned position[3];        // of the threadgroup in the grid
  unsigned threads[3];         // of every threadgroup
  unsigned groups[3];          // in the grid
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
  MSL_SUM, MSL_MAX, MSL_MIN, MSL_SHUFFLE, MSL_MULTIPLY_ACCUMULATE, MSL_BARRIER
};

#endif
