package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StreamsTest {
  private static final long BYTES = 100_000;

  @ParameterizedTest
  @CsvSource({"10000, 7000, 8", "10000, 30000, 1", "10000, 10000, 1"})
  void theFasterWayIsTakenForGoodWhateverDisturbsSome(long one, long many, int expected) {
    Streams streams = new Streams();
    int asked = 0;
    while (streams.asks()) {
      long nanos = streams.next() == 1 ? one : many;
      // One part in five, of both ways, waits for the processor.
      streams.took(asked % 5 == 0 ? nanos + 5_000_000 : nanos, BYTES);
      asked++;
    }
    assertTrue(asked < 1000, asked + " parts");
    assertEquals(expected, streams.next());
    assertEquals(expected, streams.next());
  }

  @ParameterizedTest
  @CsvSource({"1000, false", "40000, true"})
  void smallPartsDoNotCount(long bytes, boolean decided) {
    Streams streams = new Streams();
    for (int i = 0; i < 1000 && streams.asks(); i++) {
      streams.took(1000, bytes);
    }
    if (decided) {
      assertFalse(streams.asks());
    } else {
      assertTrue(streams.asks());
    }
  }

  /** Both ways are tried on parts: a thread with one large part tried them for seconds. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void eachThreadHasPartsEnoughToDecideSoon(int threads) {
    int rows = 4096;
    int columns = 512;
    int[] most = new int[1];
    Team team =
        new Team(threads) {
          @Override
          public void run(Work work, int parts) {
            most[0] = Math.max(most[0], parts);
            super.run(work, parts);
          }
        };
    try (Arena arena = Arena.ofConfined();
        CpuBackend backend = new CpuBackend(team, tiles -> {})) {
      long bytes = TensorType.Q8_0.bytes((long) rows * columns);
      List<Long> shape = List.of((long) columns, (long) rows);
      Tensor weights = new Tensor("w", TensorType.Q8_0, shape, arena.allocate(bytes, 64));
      Activations x = backend.activations(1, columns);
      Batch batch = new Batch(1, 1);
      batch.add(backend.cache(new KvShape(1, 1, 16, 1, Storage.F32)), 1, 0);
      backend.addProduct(batch, x, backend.matrix(weights), backend.activations(1, rows));
    }
    assertEquals(5 * threads, most[0]);
  }
}
