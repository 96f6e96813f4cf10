package dev.helixbg.llm.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.InterceptedBackend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Checks that the last layer computes only the wanted rows, with the same results as for all rows.
 */
class LastLayerTest {
  private static final PassLimits LIMITS = new PassLimits(64, 32, 4);

  /** For each sequence of a pass: its number of rows, and how many of its last rows are wanted. */
  private static final int[][] SPANS = {{7, 2}, {1, 0}, {9, 1}};

  @Test
  void logitsAreTheSame() {
    assertSameLogits(new ScalarBackend(), Assertions::assertArrayEquals);
  }

  /** Attention adds numbers in another order for a single row than for many rows. */
  @Test
  void logitsAreNearlyTheSameOnTheCpu() {
    assertSameLogits(
        new CpuBackend(2, () -> {}), (all, wanted) -> assertArrayEquals(all, wanted, 0.02f));
  }

  private static void assertSameLogits(Backend backend, BiConsumer<float[], float[]> same) {
    try (backend;
        GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q4_K_M.path()))) {
      Qwen3 model = Qwen3.of(file, backend, LIMITS);
      float[][] wanted = logits(model, SPANS);
      model.observe((tap, layer, values) -> {});
      float[][] all = logits(model, SPANS);
      for (int i = 0; i < all.length; i++) {
        same.accept(all[i], wanted[i]);
      }
    }
  }

  @Test
  void stepsOfTheLastLayerAreGivenTheWantedRows() {
    try (Backend backend = new ScalarBackend();
        GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q4_K_M.path()))) {
      List<Integer> rows = new ArrayList<>();
      Qwen3 model = Qwen3.of(file, watched(backend, rows), LIMITS);
      int layers = model.config().layers();

      logits(model, SPANS);
      List<Integer> expected = new ArrayList<>(Collections.nCopies(2 * layers, 17));
      expected.set(2 * layers - 2, 3);
      expected.set(2 * layers - 1, 3);
      assertEquals(expected, rows);

      rows.clear();
      logits(model, new int[][] {{5, 0}});
      assertEquals(Collections.nCopies(2 * (layers - 1), 5), rows, "keys and values are enough");

      rows.clear();
      logits(model, new int[][] {{1, 1}, {1, 1}});
      assertEquals(Collections.nCopies(2 * layers, 2), rows);
    }
  }

  private static Backend watched(Backend backend, List<Integer> rows) {
    return InterceptedBackend.of(
        backend,
        (method, arguments, usual) -> {
          if (method.equals("addProduct")) {
            rows.add(((Batch) arguments[0]).rows());
          }
          return usual.call();
        });
  }

  private static float[][] logits(Qwen3 model, int[][] spans) {
    Batch batch = new Batch(LIMITS.rows(), LIMITS.wanted());
    TokenSlots tokens = model.backend().tokens(1, LIMITS.rows());
    List<KvCache> caches = new ArrayList<>();
    for (int[] span : spans) {
      KvCache cache = model.backend().cache(model.cacheShape());
      caches.add(cache);
      int first = batch.add(cache, span[0], span[1]);
      for (int i = 0; i < span[0]; i++) {
        tokens.set(0, first + i, 300 + 7 * (first + i));
      }
    }
    model.forward(batch, tokens, 0, Qwen3.NEVER);
    model.backend().submit().await();
    float[][] logits = new float[batch.wanted()][model.vocabulary()];
    for (int i = 0; i < logits.length; i++) {
      model.logits().read(i, logits[i]);
    }
    caches.forEach(KvCache::close);
    return logits;
  }
}
