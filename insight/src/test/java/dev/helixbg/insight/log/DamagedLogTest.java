package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.LogAccount.Damage;
import dev.helixbg.insight.log.LogAccount.Kind;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests each known kind of damage: which entries are read, and which damage is reported. */
class DamagedLogTest {
  private static final int MINUTES = 29_919_647;
  private final DataLogBytes log = new DataLogBytes();

  @Test
  void tornTailIsReportedWithOffsetAndBytesWhereverItIsCut() {
    int first = log.entry("a", "first", MINUTES);
    int second = log.entry("topic", "the second body", MINUTES);
    assertTornTails(log.toByteArray(), first, second);
  }

  @Test
  void tornTailOfADeleteDoesNotDelete() {
    int first = log.entry("a", "first", MINUTES);
    int delete = log.size();
    assertTornTails(log.delete(first).toByteArray(), first, delete);
  }

  private static void assertTornTails(byte[] whole, int first, int torn) {
    for (int end = torn + 1; end < whole.length; end++) {
      assertRead(Arrays.copyOf(whole, end), damage(torn, end - torn, Kind.TORN_TAIL), first);
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
      if (offset + torn.length == third || offset + torn.length == fourth) {
        continue; // the stated length ends where a record begins, so no byte shows that the record
        // was torn
      }
      String damage = damage(offset, kept, Kind.TORN_RECORD);
      assertRead(damaged.toByteArray(), damage, first, second, third, fourth);
    }
  }

  @Test
  void tornRecordThatClaimsMoreThanTheFileLosesOnlyItself() {
    int first = log.entry("a", "first", MINUTES);
    int torn = log.size();
    log.raw(Arrays.copyOf(recordOf("topic", "x".repeat(5000)), 300));
    int second = log.entry("b", "second", MINUTES);
    assertRead(damage(torn, 300, Kind.TORN_RECORD), first, second);
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
    assertRead(
        damage(tornA, 40, Kind.TORN_RECORD)
            + damage(tornB, 17, Kind.TORN_RECORD)
            + damage(tail, 50, Kind.TORN_TAIL),
        first,
        second,
        third,
        fourth);
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
    assertRead(
        damage(torn, written, Kind.TORN_RECORD) + damage(tornToo, 30, Kind.TORN_RECORD),
        first,
        second,
        third);
  }

  @Test
  void aRepairOfATopicNeverSwallowsADamagedRecord() {
    int first = log.entry("a", "one line that is longer than a wrap ".repeat(20), MINUTES);
    int damaged = log.size();
    byte[] record = recordOf("b", "x".repeat(256 - 13));
    record[11] = 1; // must be zero
    log.raw(record);
    int second = log.entry("c", "second", MINUTES);
    List<Entry> read = assertRead(damage(damaged, 256, Kind.TORN_RECORD), first, second);
    assertEquals("a", read.getFirst().topic());
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 257, 300, 511, 512, 600, 1000, 4000})
  void topicOfMoreThan255BytesIsRepaired(int length) {
    String topic = "long topic ".repeat(400).substring(0, length);
    int first = log.entry("a", "first", MINUTES);
    int wrapped = log.entry(topic, "its body\nof two lines", MINUTES);
    int second = log.entry("b", "second", MINUTES);
    List<Entry> read = assertRead(damage(wrapped, 0, Kind.WRAPPED_TOPIC), first, wrapped, second);
    assertEquals(topic, read.get(1).topic());
    assertEquals("its body\nof two lines", read.get(1).body());
  }

  @Test
  void wrappedTopicsAreRepairedOneAfterTheOtherAndAtTheEnd() {
    String topic = "ü漢🦙 ".repeat(60);
    int[] offsets = new int[5];
    StringBuilder damage = new StringBuilder();
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = log.entry(topic + i, "Käse " + i, MINUTES);
      damage.append(damage(offsets[i], 0, Kind.WRAPPED_TOPIC));
    }
    List<Entry> read = assertRead(damage.toString(), offsets);
    for (int i = 0; i < offsets.length; i++) {
      assertEquals(topic + i, read.get(i).topic());
      assertEquals("Käse " + i, read.get(i).body());
    }
  }

  @Test
  void zerosOfAWholeBlockAtTheEndAreNoTopic() {
    int first = log.entry("a", "one line that is longer than a wrap ".repeat(20), MINUTES);
    int second = log.entry("b", "another line, and longer than a wrap ".repeat(20), MINUTES);
    int end = log.size();
    log.raw(new byte[4096]);
    assertRead(damage(end, 4096, Kind.UNKNOWN_TYPE), first, second);
  }

  @Test
  void oneSoundRecordBetweenTwoUnknownOnesIsRead() {
    log.raw((byte) 3, (byte) 3, (byte) 3);
    int only = log.entry("a", "alone", MINUTES);
    int end = log.size();
    log.raw((byte) 4, (byte) 4);
    assertRead(damage(8, 3, Kind.UNKNOWN_TYPE) + damage(end, 2, Kind.UNKNOWN_TYPE), only);
  }

  @Test
  void recordsQuotedInATextStayTextWhateverFollows() {
    DataLogBytes quoted = new DataLogBytes();
    for (int i = 0; i < 5; i++) {
      quoted.entry("quoted", "entry " + i, MINUTES);
    }
    quoted.raw(".".repeat(30).getBytes(UTF_8));
    byte[] tail = Arrays.copyOf(recordOf("topic", "torn"), 14);
    byte[] sound = recordOf("b", "after");
    for (byte[] next : List.of(tail, new byte[] {9, 9, 9}, new byte[300], sound)) {
      DataLogBytes bytes = new DataLogBytes();
      int first = bytes.entry("a", "before", MINUTES);
      int quoting = entry(bytes, "quoting", quoted.toByteArray());
      int end = bytes.size();
      bytes.raw(next);
      String times = damage(quoting + 33, 15, Kind.INVALID_UTF8); // those of the quoted records
      if (next == sound) {
        assertRead(bytes.toByteArray(), times, first, quoting, end);
      } else {
        Kind kind = next == tail ? Kind.TORN_TAIL : Kind.UNKNOWN_TYPE;
        assertRead(bytes.toByteArray(), times + damage(end, next.length, kind), first, quoting);
      }
    }
  }

  @Test
  void bytesThatAreNotUtf8AreShownAsReplacementsAndCounted() {
    int entry = entry(log, "topic", new byte[] {'a', (byte) 0xff, 'b', (byte) 0xc3, 'c', 'd'});
    List<Entry> read = assertRead(damage(entry + 12 + 5 + 1, 2, Kind.INVALID_UTF8), entry);
    assertEquals("a\uFFFDb\uFFFDcd", read.getFirst().body());
  }

  @Test
  void aReplacementCharacterThatTheUserWroteIsNoDamage() {
    int entry = log.entry("topic", "it says \uFFFD here", MINUTES);
    assertRead("", entry);
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
    assertEquals(-5, assertRead("", offsets).get(2).timestampMin());
  }

  @Test
  void entryLongerThanAnyoneWritesIsAccountedForAndNotLoaded() {
    long body = LogWalk.MAX_BODY + 1;
    byte[] start = log.raw(DataLogBytes.header(1, body, MINUTES)).toByteArray();
    MemoryLog zeros =
        new MemoryLog(start) {
          @Override
          public long size() {
            return start.length + 1 + body;
          }

          @Override
          public int read(ByteBuffer into) {
            int written = Math.max(0, super.read(into));
            int zeros = into.remaining();
            position(position() + zeros);
            into.position(into.limit());
            return written + zeros;
          }
        };
    assertRead(zeros.reading(), damage(8, 12 + 1 + body, Kind.OVERSIZED));
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

  static byte[] recordOf(String topic, String body) {
    DataLogBytes log = new DataLogBytes();
    log.entry(topic, body, MINUTES);
    return log.records();
  }

  /** Appends an entry whose body need not be valid UTF-8. */
  private static int entry(DataLogBytes log, String topic, byte[] body) {
    int offset = log.size();
    log.raw(DataLogBytes.header(topic.length(), body.length, MINUTES));
    log.raw(topic.getBytes(UTF_8)).raw(body);
    return offset;
  }

  private List<Entry> assertRead(String damage, int... offsets) {
    return assertRead(log.toByteArray(), damage, offsets);
  }

  private static List<Entry> assertRead(byte[] log, String damage, int... offsets) {
    return assertRead(MemoryLog.read(log), damage, offsets);
  }

  /** Checks the damage and the offsets of the entries, and returns the entries. */
  private static List<Entry> assertRead(LogReading reading, String damage, int... offsets) {
    List<Entry> entries = reading.entries();
    assertArrayEquals(offsets, entries.stream().mapToInt(one -> (int) one.offset()).toArray());
    assertEquals(
        damage,
        reading.account().damage().stream()
            .map(one -> damage(one.offset(), one.unreadable(), one.kind()))
            .collect(Collectors.joining()));
    return entries;
  }

  private static String damage(long offset, long bytes, Kind kind) {
    return offset + "+" + bytes + " " + kind + "\n";
  }
}
