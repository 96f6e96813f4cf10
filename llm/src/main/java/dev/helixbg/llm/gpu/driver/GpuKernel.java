package dev.helixbg.llm.gpu.driver;

/** A kernel that is ready to be dispatched. It lives as long as its device. */
public interface GpuKernel {
  String name();

  /**
   * The most threads of a threadgroup; fewer than the device's limit where a kernel needs many
   * registers.
   */
  int maxThreads();
}
