package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.cuda.LibCuda.Function;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The GPU's memory, the host's that the GPU reaches, or the former with the latter beside it. */
final class CudaBuffer implements GpuBuffer {
  private final CudaDevice device;
  private final MemorySegment memory;
  private final MemorySegment host;

  /**
   * @param memory as the GPU addresses it, released by its scope
   * @param host of the same size; null if the host sees nothing of it
   */
  CudaBuffer(CudaDevice device, MemorySegment memory, MemorySegment host) {
    this.device = device;
    this.memory = memory;
    this.host = host;
  }

  /** Where kernels find byte {@code offset}. */
  long address(long offset) {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("a buffer is used after it was released");
    }
    return memory.address() + offset;
  }

  MemorySegment memory() {
    return memory;
  }

  @Override
  public long bytes() {
    return memory.byteSize();
  }

  @Override
  public MemorySegment data() {
    if (host == null) {
      throw new UnsupportedOperationException("the host does not see the GPU's memory");
    }
    return host;
  }

  @Override
  public void read(long offset, MemorySegment target) {
    Objects.checkFromIndexSize(offset, target.byteSize(), bytes());
    device.read(address(offset), target);
  }

  @Override
  public void write(long offset, MemorySegment source) {
    long bytes = source.byteSize();
    Objects.checkFromIndexSize(offset, bytes, bytes());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = source.isNative() ? source : arena.allocate(bytes).copyFrom(source);
      device.copy(Function.MEMCPY_TO_DEVICE, address(offset), from.address(), bytes);
    }
  }

  @Override
  public void copy(GpuBuffer source) {
    long bytes = source.bytes();
    Objects.checkFromIndexSize(0, bytes, bytes());
    long from = ((CudaBuffer) source).address(0);
    device.copy(Function.MEMCPY_ON_DEVICE, address(0), from, bytes);
  }
}
