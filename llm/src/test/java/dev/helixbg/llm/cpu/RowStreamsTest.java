package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowStreamsTest {
  private static final long BYTES = 100_000;

  @ParameterizedTest
  @CsvSource({"10000, 7000, 8", "10000, 30000, 1", "10000, 10000, 1"})
  void theFasterWayIsTakenWhateverDisturbsSome(long one, long many, int expected) {
    RowStreams streams = new RowStreams();
    parts(streams, 2 * RowStreams.FIRST, one, many);
    assertEquals(expected, streams.next());
  }

  /**
   * While pages of the model are being mapped, one stream is as fast as several, so no trial runs.
   */
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

  @Test
  void anotherTrialCorrectsTheLast() {
    RowStreams streams = new RowStreams();
    parts(streams, 2 * RowStreams.FIRST, 20_000, 10_000);
    assertEquals(RowStreams.MANY, streams.next());
    int timed = parts(streams, RowStreams.PERIOD, 10_000, 20_000);
    assertEquals(1, streams.next());
    assertTrue(timed < RowStreams.PERIOD / 100, timed + " parts are timed");
  }

  private static int parts(RowStreams streams, int parts, long one, long many) {
    int timed = 0;
    for (int i = 0; i < parts; i++) {
      long nanos = streams.next() == 1 ? one : many;
      timed += streams.times() ? 1 : 0;
      // One in five parts waits 5 ms for the processor, with one stream and with several.
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
}
