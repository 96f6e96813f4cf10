package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.GpuBackendContract;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import dev.helixbg.llm.tensor.TensorType;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ResourceLock("softmetal")
class CudaBackendContractTest extends GpuBackendContract {
  private static CudaTests cuda;

  @BeforeAll
  static void openDevice() {
    cuda = new CudaTests(SoftMetalSettings.FAST);
  }

  @AfterAll
  static void closeDevice() {
    if (cuda != null) {
      cuda.close();
    }
  }

  @Override
  protected GpuDevice device() {
    return cuda.device();
  }

  /**
   * Returns all types with {@code -Dcontract.all=true}, otherwise one of each kind. The kernels are
   * the same as for Metal, whose tests cover all types.
   */
  static Set<TensorType> types() {
    return Boolean.getBoolean("contract.all")
        ? EnumSet.allOf(TensorType.class)
        : EnumSet.of(TensorType.F32, TensorType.F16, TensorType.Q8_0, TensorType.Q4_K);
  }

  @Override
  @ParameterizedTest
  @MethodSource("types")
  public void productsAgreeForEveryTypeAndBatch(TensorType type) {
    super.productsAgreeForEveryTypeAndBatch(type);
  }

  @Override
  @ParameterizedTest
  @MethodSource("types")
  public void deepProductsAgree(TensorType type) {
    super.deepProductsAgree(type);
  }

  @Override
  @ParameterizedTest
  @MethodSource("types")
  public void embeddingsAgree(TensorType type) {
    super.embeddingsAgree(type);
  }

  @Override
  @Test
  public void attentionAgrees() {
    strictly(super::attentionAgrees);
  }

  @Override
  @Tag(EACH_KIND)
  @Test
  public void attentionOfOneShapeAgrees() {
    strictly(super::attentionOfOneShapeAgrees);
  }

  /**
   * Runs a test with all checks of the software GPU. Only on CUDA is attention compiled for threads
   * with many registers, so Metal's tests do not cover this code.
   */
  private static void strictly(Runnable test) {
    cuda.configure(SoftMetalSettings.STRICT);
    try {
      test.run();
    } finally {
      cuda.configure(SoftMetalSettings.FAST);
    }
  }
}
