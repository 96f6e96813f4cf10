package dev.helixbg.llm.gpu.metal;

import dev.helixbg.llm.gpu.driver.GpuKernel;

/**
 * A kernel that is ready to be dispatched.
 *
 * @param id the {@code MTLComputePipelineState}
 */
record MetalPipeline(long id, String name, int maxThreads) implements GpuKernel {}
