package dev.helixbg.llm.gpu.driver;

/**
 * A kernel that is ready to be dispatched. It lives as long as its device.
 *
 * @param handle what the driver knows it by
 * @param library the name of the {@link KernelLibrary} that it comes from
 * @param maxThreads the most threads of a threadgroup; fewer than the device's limit where a kernel
 *     needs many registers
 */
public record GpuKernel(long handle, String library, String name, int maxThreads) {}
