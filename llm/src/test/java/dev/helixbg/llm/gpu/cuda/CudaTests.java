package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.driver.GpuException;
import org.junit.jupiter.api.Assumptions;

/** A device for tests: the GPU of this machine. */
public final class CudaTests implements AutoCloseable {
  private final CudaDevice device;

  /** Skips the test if there is none. */
  public CudaTests() {
    device = open();
  }

  private static CudaDevice open() {
    try {
      return CudaDevice.open();
    } catch (GpuException e) {
      return Assumptions.abort("skipped because " + e.getMessage());
    }
  }

  public CudaDevice device() {
    return device;
  }

  @Override
  public void close() {
    device.close();
  }
}
