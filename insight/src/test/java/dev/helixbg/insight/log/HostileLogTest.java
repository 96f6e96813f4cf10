package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.helixbg.insight.log.CorruptedLogTest.Ledger;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests files that were made to be slow to read. The time must grow linearly with the size: at most
 * some seconds for 100 MB.
 */
class HostileLogTest {
  private static final int SIZE = 30_000_000;

  /**
   * Time limit: twenty times the time of the slowest pattern. With quadratic time, a reader would
   * need hours.
   */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final int MINUTES = 29_919_647;

  /** The bytes that fill a file after its header, repeated. */
  enum Pattern {
    ENTRY_TYPES(new byte[] {1}),
    DELETE_TYPES(new byte[] {2}),
    ZEROS(new byte[1]),
    DELETES_OF_LATER_OFFSETS(new DataLogBytes().delete(0x7fffffff).records()),
    /** Headers that each state a body of 5 MB. Only more of these headers follow. */
    CLAIMS_FAR_AHEAD(header(1, 5_000_003, "t")),
    CLAIMS_NEAR(header(1, 300, "t")),
    CLAIMS_MORE_THAN_THE_FILE(header(1, 1_900_000_000, "t")),
    LONG_TOPICS_THAT_END_BADLY(header(255, 40, "t".repeat(254) + "\n")),
    TOPICS_THAT_MAY_HAVE_WRAPPED(header(40, 5_000_003, "w".repeat(300))),
    /** Well-formed headers that are not plausible, because their topics are control characters. */
    ODD_HEADERS(header(1, 1_000_003, "\n"));

    final byte[] unit;

    Pattern(byte[] unit) {
      this.unit = unit;
    }
  }

  @ParameterizedTest
  @EnumSource
  void hostileLogIsReadInLinearTime(Pattern pattern) {
    byte[] bytes = new byte[SIZE];
    ByteBuffer out = ByteBuffer.wrap(bytes).put(new DataLogBytes().toByteArray());
    while (out.remaining() >= pattern.unit.length) {
      out.put(pattern.unit);
    }
    Ledger ledger = new Ledger(bytes);
    assertTimeoutPreemptively(LIMIT, () -> new LogWalk(bytes, ledger).run());
    assertEquals(SIZE, ledger.position);
  }

  private static byte[] header(int topicLength, int bodyLength, String topic) {
    byte[] header = DataLogBytes.header(topicLength, bodyLength, MINUTES);
    return ByteBuffer.allocate(header.length + topic.length())
        .put(header)
        .put(topic.getBytes(US_ASCII))
        .array();
  }
}
