package dev.helixbg.daemon.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.embed.store.AtomicFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptionTest {

  @Test
  void workThatTakesLongIsWaitedForAndThatIsSaid() throws Exception {
    assertEquals(
        "stopping after the current step, in 60 s at most; finished work is kept\n",
        saysWhenToldToEnd(Duration.ofMillis(1_500)));
  }

  /**
   * On a busy machine, the end may take long, and the message is then right. So one of several
   * tries must have none.
   */
  @Test
  void nothingIsSaidOfWorkThatEndsAtOnce() throws Exception {
    String said = "not tried";
    for (int i = 0; i < 5 && !said.isEmpty(); i++) {
      said = saysWhenToldToEnd(Duration.ZERO);
    }
    assertEquals("", said);
  }

  /** Such a file is a report that a slow disk or a busy machine does not finish in time. */
  @Test
  void ofAFileThatIsStillBeingWrittenNothingIsLeft(@TempDir Path folder) throws Exception {
    Process child = start(Writer.class, folder.resolve("report.html").toString());
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
      assertEquals("writing", out.readLine());
      assertEquals(1, OnDisk.names(folder).size());
      child.destroy();
      assertEquals(128 + 15, child.waitFor(), "by the signal");
    }
    assertEquals(List.of(), OnDisk.names(folder));
  }

  /** Other threads run until the JVM has ended, 0.3 s later, and must create no files. */
  @Test
  void noFileIsBegunThatNobodyWouldDelete(@TempDir Path folder) throws Exception {
    for (int i = 0; i < 3; i++) { // without the check, every second run leaves a file
      Process child = start(Beginners.class, folder.toString());
      try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
        assertEquals("writing", out.readLine());
        child.destroy();
        child.waitFor();
      }
      assertEquals(List.of("0", "1", "2", "3"), OnDisk.names(folder));
    }
  }

  private static Process start(Class<?> child, String argument) throws IOException {
    return new ProcessBuilder(ForkedJvm.command(List.of(), child, argument)).start();
  }

  private static String saysWhenToldToEnd(Duration batch) throws IOException, InterruptedException {
    Process child = start(Worker.class, Long.toString(batch.toNanos()));
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
      assertEquals("at work", out.readLine());
      child.toHandle().destroy(); // does not close the streams of the process
      assertEquals("saved", out.readLine());
    }
    String said = new String(child.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    child.waitFor();
    return said;
  }

  static final class Worker {
    public static void main(String[] arguments) {
      Interruption interruption = Interruption.watch();
      interruption.tell(System.err::println);
      interruption.waitAtMost(Duration.ofSeconds(30));
      System.out.println("at work");
      while (!Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(1_000_000);
      }
      long end = System.nanoTime() + Long.parseLong(arguments[0]);
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      System.out.println("saved");
      interruption.over();
    }
  }

  static final class Writer {
    public static void main(String[] arguments) throws IOException {
      Interruption.watch().waitAtMost(Duration.ofMillis(50));
      AtomicFile.replace(
          Path.of(arguments[0]),
          out -> {
            System.out.println("writing");
            while (true) {
              LockSupport.parkNanos(1_000_000_000);
            }
          });
    }
  }

  static final class Beginners {
    public static void main(String[] arguments) throws InterruptedException {
      Interruption interruption = Interruption.watch();
      CountDownLatch written = new CountDownLatch(40);
      for (int i = 0; i < 4; i++) {
        Path file = Path.of(arguments[0], "" + i);
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (true) {
                    try {
                      AtomicFile.replace(file, Beginners::content);
                      written.countDown();
                    } catch (CancellationException e) {
                      return;
                    } catch (IOException e) {
                      // Its file was deleted; the thread tries to create another.
                    }
                  }
                });
      }
      written.await();
      interruption.over();
      System.out.println("writing");
      while (true) {
        LockSupport.parkNanos(1_000_000_000);
      }
    }

    private static void content(OutputStream out) throws IOException {
      out.write(new byte[100_000]);
      LockSupport.parkNanos(2_000_000);
    }
  }
}
