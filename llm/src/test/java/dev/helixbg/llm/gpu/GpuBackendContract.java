package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract tests of {@link GpuBackend} for any device. A build runs only the tests with the tag
 * {@link #EACH_KIND}; with {@code -Dcontract.without=}, it runs all tests.
 */
@Tag("gpu-contract")
public abstract class GpuBackendContract extends BackendContract {
  /** Number of rows that fill more than 256 tiles of 16 rows. */
  private static final int MANY_ROWS = 4_099;

  protected abstract GpuDevice device();

  @Override
  protected Backend backend() {
    return new GpuBackend(device(), false);
  }

  /** Returns whether all cases run, which takes minutes: only with {@code -Dcontract.all=true}. */
  @Override
  protected boolean isComplete() {
    return Boolean.getBoolean("contract.all");
  }

  @Tag(EACH_KIND)
  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "Q8_0", "Q4_K"})
  void productsAndEmbeddingsOfEachKindAgree(TensorType type) {
    productAgrees(type, 7, 512, 1, 17, 33);
    embeddingsAgree(type);
  }

  @Tag(EACH_KIND)
  @Test
  public void attentionOfOneShapeAgrees() {
    attention(64, 1, 2, new int[] {9, 1, 6});
  }

  @Test
  void productsOfManyRowsAgree() {
    productAgrees(TensorType.Q4_K, MANY_ROWS, 1280, 5, 9);
    productAgrees(TensorType.Q6_K, MANY_ROWS, 1024, 8);
    productAgrees(TensorType.F32, MANY_ROWS, 33, 6);
    gatesAgree(MANY_ROWS, 64, 9);
  }

  /** Products of 5 to 32 vectors are computed in tiles of eight vectors. */
  @Test
  void aVectorsProductHasTheSameBitsWhateverIsBesideIt() {
    sameBits(TensorType.Q4_K, 21);
    sameBits(TensorType.F32, 21);
    sameBits(TensorType.Q6_K, MANY_ROWS);
  }

  private void sameBits(TensorType type, int matrixRows) {
    int columns = 1280;
    float[][] vectors = vectors(32, columns);
    Tensor w = weights(type, matrixRows, columns);
    float[][] all = products(w, vectors);
    for (int count : new int[] {5, 8, 9, 17}) {
      float[][] last = Arrays.copyOfRange(vectors, 32 - count, 32);
      assertArrayEquals(
          Arrays.copyOfRange(all, 32 - count, 32), products(w, last), type + " " + count);
    }
  }

  private float[][] products(Tensor w, float[][] vectors) {
    try (Backend backend = backend()) {
      Activations result = backend.activations(vectors.length, (int) w.rows());
      backend.addProduct(
          batch(backend, vectors.length),
          filled(backend, vectors, vectors.length),
          backend.matrix(w),
          result);
      backend.submit().await();
      float[][] rows = new float[vectors.length][(int) w.rows()];
      for (int r = 0; r < rows.length; r++) {
        result.read(r, rows[r]);
      }
      return rows;
    }
  }

  @Override
  protected double productBound(TensorType type) {
    return 2e-5;
  }

  @Override
  protected double bound() {
    return 1e-5;
  }

  /** Returns a bound above 0, because fast math may fuse two operations and round only once. */
  @Override
  protected double embeddingBound() {
    return 1e-6;
  }
}
