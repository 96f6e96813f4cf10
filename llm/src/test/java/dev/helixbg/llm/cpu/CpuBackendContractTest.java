package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.tensor.TensorType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CpuBackendContractTest extends BackendContract {
  @Override
  protected Backend backend() {
    return new CpuBackend(2, () -> {});
  }

  /** So little that an emulated processor does it within a minute: scripts/check-arm64 --quick. */
  @Tag("one-size")
  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "Q8_0"})
  void productsOfOneSizeAgree(TensorType type) {
    productAgrees(type, 7, 96, 1, 7);
  }

  /**
   * The kernel of Q4_K carries offsets of up to 2048 through its sums. Below 512 bits most kernels
   * round activations to some eight bits; {@code RowKernelsTest} has their exact twins.
   */
  @Override
  protected double productBound(TensorType type) {
    if (RowKernels.of(type).floats(256) < 256) {
      return 2e-2;
    }
    return type == TensorType.Q4_K ? 3e-4 : 2e-5;
  }

  /**
   * By machine code, activations of many rows are eight-bit numbers: their errors, uniform in a
   * 127th of the largest of 32, add up to some 0.6 % of a result of usual size, 2 % at worst. That
   * it multiplies exactly what it was given, {@code ByteProductTest} shows.
   */
  @Override
  protected double productBound(TensorType type, int rows) {
    return ByteMatmul.takes(type) && rows > Matmul.FEW ? 3e-2 : productBound(type);
  }

  @Override
  protected double bound() {
    return 1e-5;
  }
}
