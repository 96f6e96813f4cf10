// The Metal Shading Language on top of clang's "C++ for OpenCL": the four address spaces of MSL are OpenCL's, so that
// their rules hold at compile time, while on x86-64 they all end up as plain memory.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define __METAL_VERSION__ 310
#define SOFTWARE_METAL 1

#define device __global
#define threadgroup __local
#define constant __constant
#define thread __private
#define kernel __kernel
// Words that OpenCL reserves and MSL does not.
#define local msl_name_local
#define global msl_name_global
#define pipe msl_name_pipe

#define MSL_INLINE inline __attribute__((always_inline))
#define MSL_UNCHECKED __attribute__((disable_sanitizer_instrumentation, no_sanitize("alignment")))

#include "msl_types.h"
#include "launch.h"

// What the library offers to kernels: the first two wait until the other threads or lanes are there.
extern "C" {
void msl_barrier(uint flags);
void msl_simd(uint op, const thread void* in, thread void* out, uint argument);
__attribute__((const)) uint msl_lane(void);  // the same whenever a thread asks
}

#include "msl_math.h"
#include "msl_simd.h"
#include "msl_matrix.h"
#include "msl_builtins.h"
