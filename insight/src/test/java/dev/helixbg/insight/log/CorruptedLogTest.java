package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads thousands of logs with random damage. Every byte belongs to the header, a record or damage;
 * entries before the damage are unchanged; no exception but a {@link DataLogException} is thrown.
 */
class CorruptedLogTest {
  private static final int LOGS = 3000;
  private static final int[] ALPHABET = "abcdefghij klmnop qrst.,:/ü漢[]\n🦙".codePoints().toArray();

  /**
   * Collects the entries of a log, and checks that records and damage cover every byte exactly
   * once.
   */
  static final class Ledger extends LiveEntries {
    final byte[] log;
    final List<String> entries = new ArrayList<>();
    long position = DataLog.HEADER_BYTES;

    Ledger(byte[] log) {
      super(log);
      this.log = log;
    }

    @Override
    void entry(int offset, int timestampMin, int topicLength, int bodyLength) {
      cover(offset, RecordHeader.ENTRY_BYTES + topicLength + bodyLength);
      String text =
          new String(log, offset + RecordHeader.ENTRY_BYTES, topicLength + bodyLength, UTF_8);
      entries.add(offset + " " + timestampMin + " " + topicLength + " " + text);
    }

    @Override
    void delete(int offset, long target) {
      cover(offset, RecordHeader.DELETE_BYTES);
    }

    @Override
    void damage(LogAccount.Damage damage) {
      cover(damage.offset(), damage.unreadable());
    }

    private void cover(long offset, long bytes) {
      assertEquals(position, offset, "the bytes are covered without gap or overlap");
      position += bytes;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void everyByteIsAccountedForAndWhatTheDamageDidNotTouchIsRead(int kind) {
    Random random = new Random(kind);
    int behind = 0;
    int found = 0;
    for (int i = 0; i < LOGS; i++) {
      byte[] sound = randomLog(random);
      List<String> expected = walk(sound).entries;
      int from = DataLog.HEADER_BYTES + random.nextInt(sound.length - DataLog.HEADER_BYTES);
      byte[] damaged = damage(sound, from, kind, random);

      Ledger after = walk(damaged);

      assertEquals(damaged.length, after.position, "log " + i);
      int intact = Arrays.mismatch(sound, damaged);
      for (int e = 0; e < expected.size() && endOf(expected, e, sound) <= intact; e++) {
        assertEquals(expected.get(e), after.entries.get(e), "log " + i + ", changed at " + intact);
      }
      int common = commonTail(sound, damaged);
      Set<String> read = new HashSet<>();
      after.entries.forEach(entry -> read.add(withoutOffset(entry)));
      for (String entry : expected) {
        if (Integer.parseInt(entry.split(" ", 2)[0]) >= sound.length - common) {
          behind++;
          found += read.contains(withoutOffset(entry)) ? 1 : 0;
        }
      }
      LogReading reading = MemoryLog.read(damaged);
      assertEquals(damaged.length, reading.account().bytes());
      assertEquals(reading.entries().size(), reading.account().live());
    }
    // Kind 6 cuts the end off, too: what follows the damage is hardly ever there.
    assertTrue(kind == 6 || found >= behind * 0.997, found + " of " + behind);
  }

  private static String withoutOffset(String entry) {
    return entry.substring(entry.indexOf(' '));
  }

  private static int commonTail(byte[] a, byte[] b) {
    int common = 0;
    while (common < Math.min(a.length, b.length)
        && a[a.length - 1 - common] == b[b.length - 1 - common]) {
      common++;
    }
    return common;
  }

  @Test
  void randomBytesAfterAHeaderAreAccountedFor() {
    Random random = new Random(7);
    for (int i = 0; i < LOGS; i++) {
      byte[] bytes = new byte[DataLog.HEADER_BYTES + random.nextInt(400)];
      for (int b = DataLog.HEADER_BYTES; b < bytes.length; b++) {
        // Mostly bytes of which headers are made.
        bytes[b] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(3));
      }
      assertEquals(bytes.length, walk(bytes).position);
    }
  }

  @Test
  void everyTruncationAndEveryFlippedBitOfARealLogIsRead() throws IOException {
    byte[] log;
    try (var in = CorruptedLogTest.class.getResourceAsStream("/kb/03-compacted.log")) {
      log = in.readAllBytes();
    }
    for (int bit = 0; bit < log.length * 8; bit++) {
      byte[] flipped = log.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      if (bit < DataLog.HEADER_BYTES * 8) {
        assertThrows(DataLogException.class, () -> MemoryLog.read(flipped));
      } else {
        assertEquals(log.length, walk(flipped).position);
      }
    }
    for (int length = DataLog.HEADER_BYTES; length < log.length; length++) {
      assertEquals(length, walk(Arrays.copyOf(log, length)).position);
    }
  }

  private static Ledger walk(byte[] bytes) {
    Ledger ledger = new Ledger(bytes);
    new LogWalk(bytes, ledger).run();
    return ledger;
  }

  private static long endOf(List<String> entries, int index, byte[] log) {
    int offset = Integer.parseInt(entries.get(index).split(" ", 2)[0]);
    return RecordHeader.parse(log, offset).end();
  }

  private static byte[] damage(byte[] sound, int from, int kind, Random random) {
    int to = Math.min(sound.length, from + 1 + random.nextInt(300));
    byte[] head = Arrays.copyOf(sound, from);
    byte[] span = Arrays.copyOfRange(sound, from, to);
    byte[] tail = Arrays.copyOfRange(sound, to, sound.length);
    switch (kind) {
      case 1 -> random.nextBytes(span);
      case 2 -> Arrays.fill(span, (byte) 0);
      case 3 -> span = new byte[0];
      case 4 -> {
        byte[] junk = new byte[random.nextInt(600)];
        random.nextBytes(junk);
        span = concat(junk, span);
      }
      case 5 -> span[0] ^= (byte) (1 << random.nextInt(8));
      default -> {
        span = concat(span, span);
        tail = Arrays.copyOf(tail, random.nextInt(tail.length + 1));
      }
    }
    return concat(concat(head, span), tail);
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  private static byte[] randomLog(Random random) {
    DataLogBytes log = new DataLogBytes();
    List<Integer> offsets = new ArrayList<>();
    int records = 2 + random.nextInt(15);
    for (int i = 0; i < records; i++) {
      if (!offsets.isEmpty() && random.nextInt(5) == 0) {
        log.delete(offsets.get(random.nextInt(offsets.size())));
      } else {
        String topic = text(random, 1 + random.nextInt(20)).replace('\n', '-');
        String body = text(random, random.nextInt(random.nextInt(8) == 0 ? 1500 : 150));
        offsets.add(log.entry(topic, body, 29_000_000 + random.nextInt(1_000_000)));
      }
    }
    return log.toByteArray();
  }

  private static String text(Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(ALPHABET[random.nextInt(ALPHABET.length)]);
    }
    return text.toString();
  }
}
