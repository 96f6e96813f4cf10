package dev.helixbg.llm;

import dev.helixbg.llm.gpu.cuda.CudaDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.metal.MetalDevice;
import java.util.function.Supplier;

/** GPU drivers, in the order in which the engine tries them. */
public enum GpuApi {
  METAL(MetalDevice::open),
  CUDA(CudaDevice::open);

  private final Supplier<GpuDevice> opener;

  GpuApi(Supplier<GpuDevice> opener) {
    this.opener = opener;
  }

  /** Opens a GPU. If there is none, throws a {@code GpuException} that says why in one sentence. */
  public GpuDevice open() {
    return opener.get();
  }
}
