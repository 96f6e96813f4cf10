package dev.helixbg.llm;

import dev.helixbg.llm.gpu.cuda.CudaDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.metal.MetalDevice;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** The drivers of GPUs, in the order in which they are tried. */
public enum GpuApi {
  METAL(MetalDevice::open),
  CUDA(cacheFolder -> CudaDevice.open());

  private final Function<Optional<Path>, GpuDevice> opener;

  GpuApi(Function<Optional<Path>, GpuDevice> opener) {
    this.opener = opener;
  }

  /**
   * Opens the GPU.
   *
   * @param cacheFolder for what is compiled and can be kept; empty where nothing is to be kept
   * @throws dev.helixbg.llm.gpu.driver.GpuException in one sentence if there is none, or none that
   *     can be used
   */
  public GpuDevice open(Optional<Path> cacheFolder) {
    return opener.apply(cacheFolder);
  }
}
