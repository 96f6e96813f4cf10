package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests undamaged logs, logs that are refused as a whole, and files that change while they are
 * read.
 */
class DataLogTest {
  private static final int MINUTES = 29_919_647;
  @TempDir Path folder;
  private final DataLogBytes log = new DataLogBytes();

  @Test
  void emptyFileIsAnEmptyKnowledgeBaseAndSoIsALogWithoutRecords() throws IOException {
    LogReading reading = DataLog.read(write(new byte[0]));
    assertEquals(List.of(), reading.entries());
    String sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assertEquals(new LogAccount(0, sha256, 0, 0, 0, List.of()), reading.account());
    LogReading header = DataLog.read(write(log.toByteArray()));
    assertEquals(List.of(), header.entries());
    assertEquals(8, header.account().bytes());
  }

  @Test
  void entriesComeWholeAndByOffsetWithOneStringPerTopic() throws IOException {
    String large = "0123456789".repeat(50_000);
    log.entry("topic", large, MINUTES);
    log.entry("other", "c", 0);
    log.entry("topic", "a", MINUTES - 10);

    LogReading reading = DataLog.read(write(log.toByteArray()));

    List<Entry> entries = reading.entries();
    assertEquals(List.of(large, "c", "a"), entries.stream().map(Entry::body).toList());
    assertSame(entries.get(0).topic(), entries.get(2).topic());
    assertEquals(List.of(), reading.account().damage());
  }

  @Test
  void aDeleteAppliesToTheWholeLogAndOneOfNothingIsIgnored() {
    int first = log.entry("a", "first", MINUTES);
    int delete = log.size();
    int later = delete + 8;
    log.delete(later);
    assertEquals(later, log.entry("a", "later", MINUTES));
    int last = log.entry("a", "last", MINUTES);
    log.delete(first).delete(first).delete(later);
    log.delete(last + 3).delete(0).delete(8000).delete(-1).delete(delete);
    log.delete(Integer.MAX_VALUE);

    LogReading reading = MemoryLog.read(log.toByteArray());

    assertEquals(List.of((long) last), reading.entries().stream().map(Entry::offset).toList());
    assertEquals(3, reading.account().entries());
    assertEquals(10, reading.account().deletes());
    assertEquals(1, reading.account().live());
    assertEquals(List.of(), reading.account().damage());
  }

  @Test
  void pipeIsRefusedWithoutWaitingForAWriter() throws Exception {
    Path pipe = folder.resolve("pipe");
    assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
    assertRefused(pipe, "is a pipe or a device");
  }

  @Test
  void unreadableFileIsRefused() throws IOException {
    Path file = write(log.toByteArray());
    OnDisk.setMode(file, "---------");
    assumeTrue(!Files.isReadable(file), "root may read everything");
    assertRefused(file, "may not be read by this user; change the permissions of the file");
  }

  @Test
  void whatIsNoLogOfAKnownVersionIsRefused() throws IOException {
    assertRefused(folder.resolve("none.log"), "none.log does not exist; name the folder");
    assertRefused(folder, " is a folder, not a data.log");
    assertRefused(write("GGUF\1\0\0\0....".getBytes(UTF_8)), "does not begin with AMRL");
    assertRefused(write("AMRL\2\0\0\0".getBytes(UTF_8)), "is a data.log of version 2, but");
    byte[] huge = {'A', 'M', 'R', 'L', -1, -1, -1, -1};
    assertRefused(write(huge), "version 4294967295");
    for (int length = 1; length < 8; length++) {
      byte[] cut = Arrays.copyOf(log.toByteArray(), length);
      assertRefused(write(cut), "has only " + length + " of the 8 bytes");
    }
  }

  @Test
  void fileThatNoArrayHoldsIsRefusedUnread() throws IOException {
    Path file = write(log.toByteArray());
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(1L << 32);
    }
    assertRefused(file, "has 4294967296 bytes, too many to read; check the path");
  }

  @Test
  void aLogThatChangesWhileItIsReadIsReadAsOneOfItsStates() {
    log.entry("a", "first", MINUTES);
    byte[] one = log.toByteArray();
    for (int i = 0; i < 100; i++) {
      log.entry("a", "entry " + i, MINUTES);
    }
    byte[] more = log.toByteArray();
    assertEquals(MemoryLog.read(one), changing(one, more), "the rest is for the next reading");
    assertEquals(MemoryLog.read(one), changing(more, one), "it shrank");
  }

  /**
   * Reads a log whose bytes change from {@code before} to {@code after} when its size has been
   * read.
   */
  private static LogReading changing(byte[] before, byte[] after) {
    return new MemoryLog(after) {
      private byte[] now = before;

      @Override
      public long size() {
        long size = now.length;
        now = after;
        return size;
      }
    }.reading();
  }

  @Test
  void logThatShrinksForeverIsRefused() {
    MemoryLog shrinking =
        new MemoryLog(new byte[0]) {
          @Override
          public long size() {
            return 100;
          }
        };
    assertTrue(
        assertThrows(DataLogException.class, shrinking::reading)
            .getMessage()
            .contains("truncated repeatedly"));
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("data.log"), bytes);
  }

  private static void assertRefused(Path file, String message) {
    String said = assertThrows(DataLogException.class, () -> DataLog.read(file)).getMessage();
    assertTrue(said.contains(message), said);
    assertTrue(said.startsWith(file.toString()), said);
  }
}
