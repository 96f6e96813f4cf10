package dev.helixbg.llm.gpu.driver;

import java.lang.foreign.Arena;

/**
 * A GPU, as much of it as the engine needs. What it makes belongs to one thread at a time, and
 * command buffers run in the order of their commits. What a driver need not say of itself is that
 * of a GPU with memory of its own, all of it visible to the host.
 */
public interface GpuDevice extends AutoCloseable {
  /** How users name the driver: {@code metal}, {@code cuda}. */
  String backend();

  /** Returns the GPU's name, as the system calls it. */
  String name();

  /**
   * Returns what drives it, and what it can do, in a few words; empty if there is nothing to say.
   */
  default String driver() {
    return "";
  }

  /** Bytes that all buffers together should not pass. */
  long memoryBudget();

  /** Bytes that this process has in buffers. */
  long memoryUsed();

  /** Bytes of the largest buffer. */
  default long maxBufferBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * A buffer of zeros for the GPU; the host reaches it by {@link GpuBuffer#read} and {@link
   * GpuBuffer#write}.
   *
   * @param owner releases it when it closes
   * @param label for tools and messages
   * @throws GpuException if there is no memory for it
   */
  GpuBuffer buffer(Arena owner, String label, long bytes);

  /** A buffer of zeros whose {@link GpuBuffer#data} the host and kernels both read and write. */
  default GpuBuffer shared(Arena owner, String label, long bytes) {
    return buffer(owner, label, bytes);
  }

  /**
   * A buffer whose {@link GpuBuffer#data} the host writes for kernels, which see it after {@link
   * GpuCommands#upload}. What is uploaded counts from the beginning of the commands on.
   *
   * @param other null, or one of the same size that is written for other commands in turn: kernels
   *     may find both in the same place
   */
  default GpuBuffer staged(Arena owner, String label, long bytes, GpuBuffer other) {
    return buffer(owner, label, bytes);
  }

  /**
   * The whole pages that hold {@code bytes} bytes from {@code address} on, as a buffer that the GPU
   * only reads: nothing is copied. Its first byte is that of {@link #pageStart}.
   *
   * <p>The memory must stay mapped until {@code owner} closes.
   *
   * @return null if the GPU cannot read them there; then a copy must do
   */
  default GpuBuffer pages(Arena owner, String label, long address, long bytes) {
    return null;
  }

  /** The first address of the page that holds an address. */
  default long pageStart(long address) {
    return address;
  }

  /** Whether a library can be had: some drivers take only what was compiled before. */
  default boolean has(KernelLibrary library) {
    return true;
  }

  /**
   * A kernel of a library, which is compiled when it is first asked for. Several threads may ask at
   * once, each for another library.
   *
   * @throws GpuException if the library cannot be compiled, or has no such kernel
   */
  GpuKernel kernel(KernelLibrary library, String kernel);

  /** Returns an empty command buffer; the caller closes it. */
  GpuCommands commands();

  /** Releases everything but buffers, which their own arenas release. */
  @Override
  void close();

  /**
   * A kernel that is ready to be dispatched. It lives as long as its device.
   *
   * @param handle what the driver knows it by
   * @param maxThreads the most threads of a threadgroup; fewer than the device's limit where a
   *     kernel needs many registers
   */
  public record GpuKernel(long handle, String name, int maxThreads) {}
}
