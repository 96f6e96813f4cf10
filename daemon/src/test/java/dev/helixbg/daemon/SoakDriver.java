package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.embed.cache.HxecFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Edits, compacts and breaks a KB beside a real daemon, which is killed now and then, and compares
 * what it leaves with a run from nothing. Started by scripts/soak.
 */
final class SoakDriver {
  private final Random random;
  private final Path folder;
  private final RealDaemon daemon;
  private final WritableKb kb;
  private int events;
  private int kills;

  private SoakDriver(Path folder, Path dist, long seed) throws IOException {
    this.folder = folder;
    this.random = new Random(seed);
    this.daemon = new RealDaemon(folder.resolve("home"), dist, List.of());
    this.kb = new WritableKb(folder.resolve("kb"), random);
  }

  /** Arguments: seconds, the dist folder, and a seed. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("helix-bg-soak");
    SoakDriver soak = new SoakDriver(folder, Path.of(arguments[1]), Long.parseLong(arguments[2]));
    soak.run(Duration.ofSeconds(Long.parseLong(arguments[0])));
  }

  private void run(Duration time) throws Exception {
    daemon.settings("[daemon]\npoll_seconds = 0.5\nquiet_seconds = 0.3\n");
    kb.append(100);
    try (daemon) {
      daemon.start(kb.kb().folder());
      long end = System.nanoTime() + time.toNanos();
      long nextWord = System.nanoTime();
      while (System.nanoTime() - end < 0) {
        happen();
        events++;
        Thread.sleep(random.nextInt(700));
        if (System.nanoTime() - nextWord > 0) {
          nextWord += Duration.ofSeconds(15).toNanos();
          System.out.printf(
              "soak: %d events, %d kills, %d live entries%n", events, kills, kb.live());
        }
      }
      if (!daemon.process().isAlive()) {
        throw new IllegalStateException("the daemon died: " + daemon.log());
      }
      daemon.awaitUpToDate(kb.live(), Duration.ofMinutes(5));
      awaitPublishing();
      JsonNode metrics = daemon.status().orElseThrow().path("metrics");
      Duration ended = daemon.end();
      double worst = new FromNothing(kb.kb(), folder.resolve("fresh"), daemon).compare();
      System.out.printf(
          "soak: passed: %d events, %d kills, %d live entries, vectors off by %.2g at most; SIGTERM"
              + " took %d ms; since the last start %s%n",
          events, kills, kb.live(), worst, ended.toMillis(), metrics);
    }
  }

  private void awaitPublishing() throws Exception {
    String log = Sha256.of(kb.log());
    long deadline = System.nanoTime() + KbWatch.PUBLISH_AFTER.multipliedBy(3).toNanos();
    while (!daemon
        .stores()
        .with(kb.kb().folder(), store -> store.outputs().areVectorsInPlace(log))) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("vectors were never published: " + daemon.log());
      }
      Thread.sleep(200);
    }
  }

  private void happen() throws Exception {
    Path vectors = kb.kb().folder().resolve(HxecFile.NAME);
    Path database =
        ProgramStores.folder(daemon.stores().settings().state(), kb.kb().folder()).resolve("kb.db");
    ReportFolder report = ReportFolder.of(kb.kb());
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4 -> kb.append();
      case 5, 6, 7 -> {
        int edited = kb.appendEdited();
        Thread.sleep(random.nextInt(400));
        kb.deleteEdited(edited);
      }
      case 8 -> kb.delete();
      case 9 -> kb.compact();
      case 10 -> {
        byte[] rest = kb.appendTorn();
        Thread.sleep(random.nextInt(1500));
        kb.restOf(rest);
      }
      case 11 -> {
        if (kb.live() > 150) {
          kb.truncate();
        }
      }
      case 12 -> {
        Path away = folder.resolve("away");
        Files.move(kb.log(), away);
        Thread.sleep(random.nextInt(1500));
        Files.move(away, kb.log());
      }
      case 13 -> Files.deleteIfExists(vectors);
      case 14 -> damage(random.nextBoolean() ? vectors : database);
      case 15 -> damage(random.nextBoolean() ? report.json() : report.html());
      case 16 -> Files.deleteIfExists(report.json());
      case 17 -> {
        // Means nothing to root; then there is simply no fault.
        var before = Files.getPosixFilePermissions(kb.log());
        Files.setPosixFilePermissions(kb.log(), PosixFilePermissions.fromString("---------"));
        Thread.sleep(random.nextInt(1500));
        Files.setPosixFilePermissions(kb.log(), before);
      }
      case 18 -> {
        if (daemon.connect().isPresent()) { // up, so it is not killed again and again as it starts
          daemon.kill();
          kills++;
          daemon.start(kb.kb().folder());
        }
      }
      default -> {
        for (int i = random.nextInt(30); i >= 0; i--) {
          kb.append();
        }
      }
    }
  }

  private void damage(Path file) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (IOException e) {
      return; // not there at the moment
    }
    if (bytes.length > 0) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, bytes);
    }
  }
}
