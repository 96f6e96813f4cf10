package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.LogAccount.Damage;
import dev.helixbg.insight.log.LogAccount.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way in which a log is known to be damaged: what is read, and what is accounted for. */
class DamagedLogTest {
  private static final int MINUTES = 29_919_647;
  private final DataLogBytes log = new DataLogBytes();

  @Test
  void tornTailIsReportedWithOffsetAndBytesWhereverItIsCut() {
    int first = log.entry("a", "first", MINUTES);
    int second = log.entry("topic", "the second body", MINUTES);
    byte[] whole = log.toByteArray();
    for (int end = second + 1; end < whole.length; end++) {
      LogReading reading = MemoryLog.read(Arrays.copyOf(whole, end));
      assertOffsets(reading, first);
      assertDamage(reading, second, end - second, Kind.TORN_TAIL);
    }
  }

  @Test
  void tornTailOfADeleteDoesNotDelete() {
    int first = log.entry("a", "first", MINUTES);
    int torn = log.size();
    byte[] whole = log.delete(first).toByteArray();
    for (int end = torn + 1; end < whole.length; end++) {
      LogReading reading = MemoryLog.read(Arrays.copyOf(whole, end));
      assertOffsets(reading, first);
      assertDamage(reading, torn, end - torn, Kind.TORN_TAIL);
    }
  }

  @Test
  void tornRecordLosesOnlyItselfWhereverItWasTorn() {
    byte[] torn =
        recordOf("topic", "a body of some length, long enough to swallow what follows it");
    for (int kept = 1; kept < torn.length; kept++) {
      DataLogBytes damaged = new DataLogBytes();
      int first = damaged.entry("a", "first", MINUTES);
      int offset = damaged.size();
      damaged.raw(Arrays.copyOf(torn, kept));
      int second = damaged.entry("b", "second", MINUTES);
      int third = damaged.entry("c", "third", MINUTES);
      int fourth = damaged.entry("d", "the fourth body is longer than the others", MINUTES);

      LogReading reading = MemoryLog.read(damaged.toByteArray());

      if (offset + torn.length == third || offset + torn.length == fourth) {
        continue; // the claim ends where a record begins: nothing tells that it was torn
      }
      assertOffsets(reading, first, second, third, fourth);
      assertDamage(reading, offset, kept, Kind.TORN_RECORD);
    }
  }

  @Test
  void tornRecordThatClaimsMoreThanTheFileLosesOnlyItself() {
    int first = log.entry("a", "first", MINUTES);
    int torn = log.size();
    log.raw(Arrays.copyOf(recordOf("topic", "x".repeat(5000)), 300));
    int second = log.entry("b", "second", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, second);
    assertDamage(reading, torn, second - torn, Kind.TORN_RECORD);
  }

  @Test
  void twoTornRecordsAndATornTailLoseOnlyThemselves() {
    int first = log.entry("a", "first", MINUTES);
    int tornA = log.size();
    log.raw(Arrays.copyOf(recordOf("topic", "x".repeat(100)), 40));
    int second = log.entry("b", "second entry with a body of its own", MINUTES);
    int tornB = log.size();
    log.raw(Arrays.copyOf(recordOf("topic", "y".repeat(100)), 17));
    int third = log.entry("c", "third entry, which is somewhat longer than what was torn", MINUTES);
    int fourth = log.entry("d", "fourth entry, which is as long as that and still sound", MINUTES);
    int tail = log.size();
    log.raw(Arrays.copyOf(recordOf("topic", "z".repeat(100)), 50));

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, second, third, fourth);
    assertEquals(
        List.of(tornA + "+40 TORN_RECORD", tornB + "+17 TORN_RECORD", tail + "+50 TORN_TAIL"),
        damageOf(reading));
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 17})
  void recordTornBetweenTwoWritesLosesOnlyItselfThoughItsClaimCoversMoreDamage(int written) {
    int torn = log.size();
    log.raw(Arrays.copyOf(recordOf("topic", "x".repeat(400)), written));
    int first = log.entry("a", "first", MINUTES);
    int tornToo = log.size();
    log.raw(Arrays.copyOf(recordOf("other", "y".repeat(100)), 30));
    int second = log.entry("b", "second" + " and more".repeat(60), MINUTES);
    int third = log.entry("c", "third", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, second, third);
    assertEquals(
        List.of(torn + "+" + written + " TORN_RECORD", tornToo + "+30 TORN_RECORD"),
        damageOf(reading));
  }

  @Test
  void aRepairOfATopicNeverSwallowsADamagedRecord() {
    int first = log.entry("a", "one line that is longer than a wrap ".repeat(20), MINUTES);
    int damaged = log.size();
    byte[] record = recordOf("b", "x".repeat(256 - 13));
    record[11] = 1; // must be zero
    log.raw(record);
    int second = log.entry("c", "second", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, second);
    assertEquals("a", reading.entries().getFirst().topic());
    assertDamage(reading, damaged, 256, Kind.TORN_RECORD);
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 257, 300, 511, 512, 600, 1000, 4000})
  void topicOfMoreThan255BytesIsRepaired(int length) {
    String topic = "long topic ".repeat(400).substring(0, length);
    int first = log.entry("a", "first", MINUTES);
    int wrapped = log.entry(topic, "its body\nof two lines", MINUTES);
    int second = log.entry("b", "second", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, wrapped, second);
    assertEquals(topic, reading.entries().get(1).topic());
    assertEquals("its body\nof two lines", reading.entries().get(1).body());
    assertDamage(reading, wrapped, 0, Kind.WRAPPED_TOPIC);
  }

  @Test
  void wrappedTopicsAreRepairedOneAfterTheOtherAndAtTheEnd() {
    String topic = "ü漢🦙 ".repeat(60);
    int[] offsets = new int[5];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = log.entry(topic + i, "Käse " + i, MINUTES);
    }

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, offsets);
    for (int i = 0; i < offsets.length; i++) {
      assertEquals(topic + i, reading.entries().get(i).topic());
      assertEquals("Käse " + i, reading.entries().get(i).body());
    }
  }

  @Test
  void zerosOfAWholeBlockAtTheEndAreNoTopic() {
    int first = log.entry("a", "one line that is longer than a wrap ".repeat(20), MINUTES);
    int second = log.entry("b", "another line, and longer than a wrap ".repeat(20), MINUTES);
    int end = log.size();
    log.raw(new byte[4096]);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, second);
    assertDamage(reading, end, 4096, Kind.UNKNOWN_TYPE);
  }

  @Test
  void unknownRecordTypeIsSkippedToTheNextSoundRecord() {
    int first = log.entry("a", "first", MINUTES);
    int unknown = log.size();
    log.raw((byte) 7, (byte) 0, (byte) 0, (byte) 0, (byte) 9, (byte) 9, (byte) 9, (byte) 9);
    int second = log.entry("b", "second", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, second);
    assertDamage(reading, unknown, 8, Kind.UNKNOWN_TYPE);
  }

  @Test
  void oneSoundRecordBetweenTwoUnknownOnesIsRead() {
    log.raw((byte) 3, (byte) 3, (byte) 3);
    int only = log.entry("a", "alone", MINUTES);
    log.raw((byte) 4, (byte) 4);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, only);
    assertEquals(
        List.of("8+3 UNKNOWN_TYPE", (log.size() - 2) + "+2 UNKNOWN_TYPE"), damageOf(reading));
  }

  @Test
  void recordsQuotedInATextStayTextInASoundLog() {
    byte[] quoted = logOf(20);
    int first = log.entry("a", "before", MINUTES);
    int quoting = entry(log, "quoting", quoted);
    int last = log.entry("b", "after", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, first, quoting, last);
    assertEquals("AMRL", reading.entries().get(1).body().substring(0, 4));
    assertEquals(quoted.length, sizeOfText(reading));
  }

  @Test
  void recordsQuotedInATextStayTextBeforeATornTailAndAnUnknownType() {
    byte[] quoted = logOf(5);
    byte[] text = Arrays.copyOf(quoted, quoted.length + 30);
    Arrays.fill(text, quoted.length, text.length, (byte) '.');
    byte[] tail = Arrays.copyOf(recordOf("topic", "torn"), 14);
    for (byte[] damage : List.of(tail, new byte[] {9, 9, 9}, new byte[300])) {
      DataLogBytes damaged = new DataLogBytes();
      int first = damaged.entry("a", "before", MINUTES);
      int quoting = entry(damaged, "quoting", text);
      int end = damaged.size();

      LogReading reading = MemoryLog.read(damaged.raw(damage).toByteArray());

      assertOffsets(reading, first, quoting);
      Damage last = reading.account().damage().getLast();
      assertEquals(end, last.offset());
      assertEquals(damage.length, last.unreadable());
    }
  }

  @Test
  void bytesThatAreNotUtf8AreShownAsReplacementsAndCounted() {
    int entry = entry(log, "topic", new byte[] {'a', (byte) 0xff, 'b', (byte) 0xc3, 'c', 'd'});

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertEquals("a\uFFFDb\uFFFDcd", reading.entries().getFirst().body());
    assertDamage(reading, entry + 12 + 5 + 1, 2, Kind.INVALID_UTF8);
  }

  @Test
  void aReplacementCharacterThatTheUserWroteIsNoDamage() {
    int entry = log.entry("topic", "it says \uFFFD here", MINUTES);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, entry);
    assertEquals(List.of(), damageOf(reading));
  }

  @Test
  void timesThatRunBackwardsOrAreOddDoNotMakeASoundLogDamaged() {
    int[] offsets = {
      log.entry("a", "now", MINUTES),
      log.entry("a", "unknown", 0),
      log.entry("a", "before 1970", -5),
      log.entry("a", "a clock that was never set", 17),
      log.entry("", "no topic", Integer.MAX_VALUE),
      log.entry("a", "", Integer.MIN_VALUE),
      log.entry("tab\tand\nnewline", "", 1),
      log.entry("a", "earlier", MINUTES - 1000)
    };

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertOffsets(reading, offsets);
    assertEquals(List.of(), damageOf(reading));
    assertEquals(-5, reading.entries().get(2).timestampMin());
  }

  @Test
  void entryLongerThanAnyoneWritesIsAccountedForAndNotLoaded() throws Exception {
    long body = LogWalk.MAX_BODY + 1;
    byte[] start = log.raw(headerOf(1, body)).toByteArray();
    LogSource zeros =
        new LogSource() {
          @Override
          public long size() {
            return start.length + 1 + body;
          }

          @Override
          int read(ByteBuffer into, long position) {
            int count = into.remaining();
            for (int i = 0; i < count; i++) {
              into.put(position + i < start.length ? start[(int) position + i] : (byte) 'x');
            }
            return count;
          }
        };

    LogReading reading = DataLog.read(Path.of("zeros"), zeros, Optional.empty());

    assertEquals(List.of(), reading.entries());
    assertDamage(reading, 8, 12 + 1 + body, Kind.OVERSIZED);
  }

  @Test
  void complaintsAreLimitedAndStillAccountForEveryByte() {
    for (int i = 0; i < 3000; i++) {
      log.entry("a", "sound " + i, MINUTES);
      log.raw((byte) 9, (byte) 9, (byte) 9);
    }

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertEquals(3000, reading.entries().size());
    assertEquals(LiveEntries.MOST_DAMAGE, reading.account().damage().size());
    assertEquals(9000, reading.account().damage().stream().mapToLong(Damage::unreadable).sum());
  }

  private static int sizeOfText(LogReading reading) {
    // Body bytes of the only entry that quotes, from the offsets around it.
    return (int) (reading.entries().get(2).offset() - reading.entries().get(1).offset())
        - RecordHeader.ENTRY_BYTES
        - "quoting".length();
  }

  private static byte[] logOf(int entries) {
    DataLogBytes bytes = new DataLogBytes();
    for (int i = 0; i < entries; i++) {
      bytes.entry("quoted", "entry " + i, MINUTES);
    }
    return bytes.toByteArray();
  }

  static byte[] recordOf(String topic, String body) {
    DataLogBytes log = new DataLogBytes();
    log.entry(topic, body, MINUTES);
    return log.records();
  }

  /** Appends an entry whose body is any bytes. */
  private static int entry(DataLogBytes log, String topic, byte[] body) {
    int offset = log.size();
    log.raw(headerOf(topic.length(), body.length)).raw(topic.getBytes(UTF_8)).raw(body);
    return offset;
  }

  private static byte[] headerOf(int topicLength, long bodyLength) {
    return ByteBuffer.allocate(12)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) 1)
        .put((byte) topicLength)
        .putInt((int) bodyLength)
        .putInt(MINUTES)
        .array();
  }

  private static void assertOffsets(LogReading reading, int... offsets) {
    assertEquals(
        Arrays.stream(offsets).mapToObj(String::valueOf).toList(),
        reading.entries().stream().map(Entry::offset).map(String::valueOf).toList());
  }

  private static void assertDamage(LogReading reading, long offset, long bytes, Kind kind) {
    assertEquals(List.of(offset + "+" + bytes + " " + kind), damageOf(reading));
  }

  private static List<String> damageOf(LogReading reading) {
    return reading.account().damage().stream()
        .map(damage -> damage.offset() + "+" + damage.unreadable() + " " + damage.kind())
        .toList();
  }
}
