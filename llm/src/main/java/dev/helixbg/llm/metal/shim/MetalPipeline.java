package dev.helixbg.llm.metal.shim;

/**
 * A kernel that is ready to be dispatched. It lives as long as its device.
 *
 * @param id the {@code MTLComputePipelineState}
 * @param name of the kernel
 * @param maxThreads the most threads of a threadgroup; fewer than the device's limit where a kernel
 *     needs many registers
 */
public record MetalPipeline(long id, String name, int maxThreads) {}
