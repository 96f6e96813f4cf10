package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
