package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import dev.helixbg.llm.tensor.TensorType;

/** Tests the golden models on the backend for CPUs. */
abstract class CpuGoldenContract extends GoldenContract {
  private final int threads;

  CpuGoldenContract(int threads) {
    this.threads = threads;
  }

  @Override
  Backend backend() {
    return new CpuBackend(threads, () -> {});
  }

  /**
   * Returns whether the CPU rounds activations to about eight bits before it multiplies them by
   * quantised weights, with an error of up to 1/254 of the largest. Machine code rounds the
   * activations of prompts. With vectors below 512 bits, most other kernels round, too.
   */
  private static boolean rounds(GoldenModel golden) {
    boolean narrow = RowKernels.of(TensorType.Q6_K).floats(256) < 256;
    return golden != GoldenModel.F16 && (narrow || ByteProduct.AVAILABLE);
  }

  @Override
  double logitBound() {
    return 2e-4;
  }

  @Override
  double tapBound() {
    return 5e-4;
  }

  @Override
  double logitBound(GoldenModel golden) {
    return rounds(golden) ? 1e-2 : logitBound();
  }

  @Override
  double tapBound(GoldenModel golden) {
    return rounds(golden) ? 3e-2 : tapBound();
  }

  /**
   * Is larger with rounding: a difference in the last bit can round an activation the other way.
   */
  @Override
  double othersBound(GoldenModel golden) {
    return rounds(golden) ? 2e-3 : super.othersBound(golden);
  }
}
