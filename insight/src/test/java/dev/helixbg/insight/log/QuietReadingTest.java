package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.LogAccount.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests reading while helix writes: the reader waits for the end of changes, but not forever. */
@Timeout(120)
class QuietReadingTest {
  private static final int MINUTES = 29_919_647;
  @TempDir Path folder;

  @Test
  void aFileAtRestIsReadAtOnceEvenWithATornTail() throws Exception {
    DataLogBytes log = new DataLogBytes();
    log.entry("a", "first", MINUTES);
    Path file = write(log.raw((byte) 1, (byte) 5).toByteArray());
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));

    long start = System.nanoTime();
    LogReading reading = DataLog.readQuiet(file, Duration.ofSeconds(30), Duration.ofSeconds(60));

    assertTrue(System.nanoTime() - start < 20_000_000_000L, "it waited");
    assertEquals(Kind.TORN_TAIL, reading.account().damage().getFirst().kind());
  }

  @Test
  void anEditThatIsHalfDoneIsWaitedFor() throws Exception {
    DataLogBytes log = new DataLogBytes();
    int old = log.entry("a", "old", MINUTES);
    int before = log.size();
    log.entry("a", "new", MINUTES);
    byte[] whole = log.delete(old).toByteArray();
    Path file = write(Arrays.copyOf(whole, before));
    Thread helix =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = before; i < whole.length; i++) {
                    append(file, Arrays.copyOfRange(whole, i, i + 1));
                    pause(10);
                  }
                });

    // The writing thread may have to wait for a processor or for the disk.
    LogReading reading = DataLog.readQuiet(file, Duration.ofSeconds(2), Duration.ofSeconds(60));

    helix.join();
    assertEquals("new", reading.entries().getFirst().body());
    assertEquals(1, reading.entries().size());
  }

  @Test
  void aFileThatIsNeverQuietIsReadAfterAWhileWithAnAccount() throws Exception {
    DataLogBytes log = new DataLogBytes();
    log.entry("a", "first", MINUTES);
    Path file = write(log.toByteArray());
    byte[] record = DamagedLogTest.recordOf("busy", "one more");
    AtomicBoolean stop = new AtomicBoolean();
    Thread helix =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!stop.get()) {
                    append(file, Arrays.copyOf(record, 12));
                    append(file, Arrays.copyOfRange(record, 12, 16));
                    append(file, Arrays.copyOfRange(record, 16, record.length));
                    pause(3);
                  }
                });
    try {
      while (Files.size(file) < log.size() + record.length) {
        pause(1);
      }
      LogReading reading = DataLog.readQuiet(file, Duration.ofSeconds(5), Duration.ofMillis(300));
      assertEquals("first", reading.entries().getFirst().body());
      assertTrue(reading.entries().size() > 1);
    } finally {
      stop.set(true);
      helix.join();
    }
  }

  @Test
  void aModificationTimeInTheFutureDelaysOnlyByTheQuietTime() throws Exception {
    Path file = write(new DataLogBytes().toByteArray());
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(3600)));
    long start = System.nanoTime();
    DataLog.readQuiet(file, Duration.ofMillis(200), Duration.ofSeconds(20));
    assertTrue(System.nanoTime() - start < 15_000_000_000L, "it waited");
  }

  @Test
  void aMissingFileIsRefusedAtOnce() {
    assertThrows(DataLogException.class, () -> DataLog.readQuiet(folder.resolve("none")));
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("data.log"), bytes);
  }

  private static void append(Path file, byte[] bytes) {
    try {
      Files.write(file, bytes, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
