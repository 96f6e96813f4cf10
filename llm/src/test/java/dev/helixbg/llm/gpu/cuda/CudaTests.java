package dev.helixbg.llm.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.gpu.PtxLibraries;
import dev.helixbg.llm.softmetal.SoftCuda;
import dev.helixbg.llm.softmetal.SoftMetal;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.List;

/**
 * CUDA device for tests: a software stand-in for NVIDIA's driver or, with {@code -Dgpu.real}, the
 * GPU of this machine. {@link #close} checks that tests released all objects of the stand-in.
 */
public final class CudaTests implements AutoCloseable {
  private static final boolean REAL = Boolean.getBoolean("gpu.real");

  private final SoftCuda soft;
  private final CudaDevice device;

  public CudaTests(SoftMetalSettings settings) {
    soft = REAL ? null : new SoftCuda(SoftMetal.loadOrSkip());
    if (!REAL) {
      soft.configure(settings);
      PtxCompiler compiler = PtxCompiler.ofProject();
      PtxLibraries.more().forEach(compiler::pretend);
    }
    device = REAL ? CudaDevice.open() : CudaDevice.open(soft.library());
  }

  public CudaDevice device() {
    return device;
  }

  void configure(SoftMetalSettings settings) {
    if (!REAL) {
      soft.settings(settings);
    }
  }

  SoftCuda soft() {
    return soft;
  }

  @Override
  public void close() {
    device.close();
    if (!REAL) {
      assertEquals(List.of(), soft.takeFindings());
      assertEquals(0, soft.live(), "left behind");
    }
  }
}
