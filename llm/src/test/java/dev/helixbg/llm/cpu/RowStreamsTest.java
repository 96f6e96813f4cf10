package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowStreamsTest {
  private static final long BYTES = 100_000;

  @ParameterizedTest
  @CsvSource({"10000, 7000, 8", "10000, 30000, 1", "10000, 10000, 1"})
  void theFasterWayIsTakenWhateverDisturbsSome(long one, long many, int expected) {
    RowStreams streams = new RowStreams();
    parts(streams, 2 * RowStreams.FIRST, one, many);
    assertEquals(expected, streams.next());
  }

  /** While pages are being mapped, all ways take the same time: nothing is decided by that. */
  @Test
  void theFirstPartsDoNotCount() {
    RowStreams streams = new RowStreams();
    for (int i = 0; i < RowStreams.FIRST; i++) {
      assertEquals(1, streams.next());
      assertFalse(streams.times());
      streams.took(0, BYTES);
    }
    assertTrue(streams.times());
  }

  /** A neighbour may have spoilt the last one. */
  @Test
  void anotherTrialCorrectsTheLast() {
    RowStreams streams = new RowStreams();
    parts(streams, 2 * RowStreams.FIRST, 20_000, 10_000);
    assertEquals(RowStreams.MANY, streams.next());
    int timed = parts(streams, RowStreams.PERIOD, 10_000, 20_000);
    assertEquals(1, streams.next());
    assertTrue(timed < RowStreams.PERIOD / 100, timed + " parts are timed");
  }

  /** Returns how many of them were timed. */
  private static int parts(RowStreams streams, int parts, long one, long many) {
    int timed = 0;
    for (int i = 0; i < parts; i++) {
      long nanos = streams.next() == 1 ? one : many;
      timed += streams.times() ? 1 : 0;
      // One part in five, of both ways, waits for the processor.
      streams.took(i % 5 == 0 ? nanos + 5_000_000 : nanos, BYTES);
    }
    return timed;
  }

  @ParameterizedTest
  @CsvSource({"1000, false", "40000, true"})
  void smallPartsDoNotCount(long bytes, boolean counts) {
    RowStreams streams = new RowStreams();
    for (int i = 0; i < RowStreams.FIRST; i++) {
      streams.took(0, bytes);
    }
    assertEquals(counts, streams.times());
  }

  /** Both ways are tried on parts: a thread with one large part tried them for seconds. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void eachThreadHasPartsEnoughToTryBothWaysSoon(int threads) {
    int[] most = new int[1];
    ThreadTeam team =
        new ThreadTeam(threads) {
          @Override
          public void run(Work work, int parts) {
            most[0] = Math.max(most[0], parts);
            super.run(work, parts);
          }
        };
    try (Arena arena = Arena.ofConfined();
        CpuBackend backend = new CpuBackend(team, () -> {})) {
      CpuProduct.of(backend, CpuProduct.weights(arena, TensorType.Q8_0, 4096, 512), 1);
    }
    assertEquals(5 * threads, most[0]);
  }
}
