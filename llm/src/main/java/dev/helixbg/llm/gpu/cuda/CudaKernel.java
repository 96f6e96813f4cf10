package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.driver.GpuKernel;

/**
 * A kernel that is ready to be launched.
 *
 * @param function the {@code CUfunction}
 */
record CudaKernel(long function, String name, int maxThreads) implements GpuKernel {}
