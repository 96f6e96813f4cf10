package dev.helixbg.llm;

import dev.helixbg.llm.gpu.cuda.CudaDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.metal.MetalDevice;
import java.util.function.Supplier;

/** GPU drivers, in the order in which they are tried. */
public enum GpuApi {
  METAL(MetalDevice::open),
  CUDA(CudaDevice::open);

  private final Supplier<GpuDevice> opener;

  GpuApi(Supplier<GpuDevice> opener) {
    this.opener = opener;
  }

  /** Opens a GPU; a {@code GpuException} of one sentence says why there is none. */
  public GpuDevice open() {
    return opener.get();
  }
}
