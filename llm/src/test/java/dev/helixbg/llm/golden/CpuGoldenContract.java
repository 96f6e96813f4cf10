package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.tensor.TensorType;

/** The golden models on the engine for CPUs. */
abstract class CpuGoldenContract extends GoldenContract {
  private final int threads;

  CpuGoldenContract(int threads) {
    this.threads = threads;
  }

  @Override
  Backend backend() {
    return new CpuBackend(threads);
  }

  @Override
  int each() {
    return 2;
  }

  /** Below 512 bits most kernels round activations to some eight bits. */
  private static final boolean ROUNDS = RowKernels.of(TensorType.Q6_K, 256).floats(256) < 256;

  @Override
  double logitBound() {
    return ROUNDS ? 1e-2 : 5e-5;
  }

  @Override
  double tapBound() {
    return ROUNDS ? 3e-2 : 5e-5;
  }

  /** Prompts meet Q4_K as eight-bit numbers, each of which is off by up to a 254th. */
  @Override
  double logitBound(GoldenModel golden) {
    return golden == GoldenModel.Q4_K_M ? 1e-2 : logitBound();
  }

  @Override
  double tapBound(GoldenModel golden) {
    return golden == GoldenModel.Q4_K_M ? 3e-2 : tapBound();
  }

  /** Where a difference in the last bit makes an activation round the other way. */
  @Override
  double othersBound(GoldenModel golden) {
    return golden == GoldenModel.Q4_K_M ? 2e-3 : super.othersBound(golden);
  }
}
