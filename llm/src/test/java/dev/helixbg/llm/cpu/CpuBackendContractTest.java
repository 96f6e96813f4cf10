package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import dev.helixbg.llm.tensor.TensorType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CpuBackendContractTest extends BackendContract {
  @Override
  protected Backend backend() {
    return new CpuBackend(2, () -> {});
  }

  /**
   * Checks so few products that an emulated processor computes them within a minute; run by {@code
   * scripts/check-arm64 --quick}.
   */
  @Tag("one-size")
  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "Q8_0"})
  void productsOfOneSizeAgree(TensorType type) {
    productAgrees(type, 7, 96, 1, 7);
  }

  @ParameterizedTest
  @EnumSource(names = {"Q4_K", "Q5_K", "Q6_K"})
  void usualTypesAreMultipliedInBytesWhereverTheProcessorCan(TensorType type) {
    assertEquals(ByteProduct.AVAILABLE, ByteMatmul.takes(type));
  }

  /**
   * Returns the bound for single rows. Many kernels round activations to about eight bits; {@code
   * RowKernelsTest} compares them more exactly. In the kernel of Q4_K, sums contain offsets of up
   * to 2048, which cost precision.
   */
  @Override
  protected double productBound(TensorType type) {
    if (RowKernels.of(type).floats(256) < 256) {
      return 2e-2;
    }
    return type == TensorType.Q4_K ? 3e-4 : 2e-5;
  }

  /**
   * Returns the bound for many rows. Machine code rounds their activations to eight bits. The
   * rounding errors are up to half of a 127th of the largest of 32 activations. They add up to
   * about 0.6 % of a typical result, and to 2 % at worst. {@code ByteProductTest} shows that the
   * products of the rounded numbers are exact.
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
