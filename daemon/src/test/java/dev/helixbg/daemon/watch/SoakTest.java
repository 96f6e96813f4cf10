package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.embed.cache.HxecFile;
import dev.helixbg.embed.store.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Simulates days with checks, edits, compactions and faults, and compares the results several times
 * a day: two days here, a month in scripts/proofs.
 */
@Timeout(600)
class SoakTest {
  private static final int DAYS = Boolean.getBoolean("proofs.all") ? 30 : 2;

  @TempDir(factory = InMemory.class)
  Path folder;

  private final Random random = new Random(6);
  private WritableKb writer;
  private DaemonFixture daemon;
  private int episodes;

  @Test
  void theyEndWithWhatARunFromNothingMakes() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), random);
    daemon = new DaemonFixture(folder, writer.kb());
    int checks = 0;
    for (int day = 0; day < DAYS; day++) {
      for (int session = 0; session < 3; session++) {
        for (int event = random.nextInt(10); event >= 0; event--) {
          happen();
          if (random.nextBoolean()) { // otherwise the next regular check finds the change
            daemon.loop.lookNow();
          }
          daemon.run(Duration.ofMillis(random.nextInt(90_000)));
        }
        daemon.mend();
        daemon.run(Duration.ofMinutes(12));
        daemon.assertAsFromNothing(folder.resolve("fresh-" + day + "-" + session));
        checks++;
        daemon.run(Duration.ofHours(6).plusMinutes(random.nextInt(180)));
      }
      if (writer.live() > 60) { // then fewer than are not published at once
        for (int i = 0; i < 30; i++) {
          writer.delete();
        }
      }
    }
    long logged = daemon.metrics.troubles.sum();
    assertTrue(checks == 3 * DAYS && daemon.metrics.reports.sum() > 7 * DAYS);
    assertTrue(daemon.metrics.ticks.sum() > 2_000 * DAYS, "as many ticks as days have");
    assertTrue(logged <= episodes, logged + " warnings about " + episodes + " faults");
  }

  private void happen() throws IOException, InterruptedException {
    Path vectors = writer.kb().folder().resolve(HxecFile.NAME);
    ReportFolder report = ReportFolder.of(writer.kb());
    int event = random.nextInt(18);
    switch (event) {
      case 0, 1, 2, 3 -> writer.append();
      case 4, 5 -> {
        int edited = writer.appendEdited();
        daemon.run(Duration.ofMillis(random.nextInt(4_000)));
        writer.deleteEdited(edited);
      }
      case 6 -> writer.delete();
      case 7 -> writer.compact();
      case 8 -> {
        byte[] rest = writer.appendTorn();
        daemon.run(Duration.ofMillis(random.nextInt(60_000)));
        writer.restOf(rest);
      }
      case 9 -> writer.truncate();
      case 10 -> Files.deleteIfExists(random.nextBoolean() ? vectors : report.json());
      case 11 -> {
        Path victim = random.nextBoolean() ? vectors : report.html();
        if (Files.exists(victim)) {
          byte[] bytes = Files.readAllBytes(victim);
          if (bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= 1 << random.nextInt(8);
            Files.write(victim, bytes);
          }
        }
      }
      case 12, 13, 14, 15, 16 -> {
        daemon.mend();
        daemon.run(Duration.ofMinutes(6));
        daemon.faults().get(event - 12).run();
        episodes++;
        writer.append();
        daemon.run(Duration.ofMinutes(random.nextInt(60)));
      }
      default -> {
        daemon.mend();
        daemon.clock.jump(Duration.ofHours(random.nextInt(2_000) - 1_000));
        Path away = folder.resolve("away");
        Files.move(writer.log(), away);
        episodes++;
        daemon.run(Duration.ofMinutes(random.nextInt(10)));
        Files.move(away, writer.log());
      }
    }
  }
}
