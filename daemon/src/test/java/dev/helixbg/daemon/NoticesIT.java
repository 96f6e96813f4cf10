package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.kb.WritableKb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A daemon that was asked to tells the desktop of findings: by a notify-send that only notes it.
 */
@Timeout(900)
class NoticesIT {
  private static final Path DIST = Program.ROOT.resolve("daemon/target/dist");
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir Path home;

  @Test
  void newFindingsAreToldInOneLineOnceADay() throws Exception {
    assumeTrue(!System.getProperty("os.name").startsWith("Mac"), "notify-send is Linux's");
    PreparedModel.linkInto(home.resolve("cache"), DIST);
    Path bin = Files.createDirectories(home.resolve("bin"));
    Path told = home.resolve("told");
    Path send =
        Files.writeString(
            bin.resolve("notify-send"),
            "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >> '" + told + "'\n");
    Files.setPosixFilePermissions(send, PosixFilePermissions.fromString("rwxr-xr-x"));
    WritableKb kb = new WritableKb(home.resolve("kb $(touch gotcha)"), new Random(1));
    kb.append("queue", "A secret lease of the queue expires after thirty seconds.");
    kb.append("lunch", "A secret lease of the queue expires after thirty seconds.");
    String report = kb.kb().insights().resolve("report.html").toString();
    List<String> line;
    String settings = "[daemon]\npoll_seconds = 0.2\nquiet_seconds = 0.2\n";
    try (RealDaemon daemon = daemon(bin)) {
      daemon.settings(settings);
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(2, PATIENCE);
      stop(daemon);
      assertTrue(Files.notExists(told), "told without having been asked to");
    }
    try (RealDaemon daemon = daemon(bin)) {
      daemon.settings(settings + "notify = \"findings\"\n");
      daemon.start(kb.kb().folder());
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (Files.notExists(told) || Files.readAllLines(told).size() < 4) {
        assertTrue(System.nanoTime() < deadline, "never told");
        Thread.sleep(50);
      }
      line = Files.readAllLines(told);
      assertEquals(List.of("3", "--app-name=helix-bg", "--"), line.subList(0, 3));
      assertTrue(
          line.getLast()
              .matches(
                  "helix-bg: \\d+ new among what is most worth doing"
                      + " \\(\\d+ candidates ranked\\): "
                      + Pattern.quote(report)),
          line.toString());
      kb.append("cellar", "A secret lease of the queue expires after thirty seconds.");
      daemon.awaitUpToDate(3, PATIENCE);
      stop(daemon);
    }
    try (RealDaemon daemon = daemon(bin)) {
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(3, PATIENCE);
      stop(daemon);
    }
    assertEquals(line, Files.readAllLines(told), "twice on one day");
  }

  private RealDaemon daemon(Path bin) throws Exception {
    return new RealDaemon(home, DIST, List.of("env", "PATH=" + bin + ":" + System.getenv("PATH")));
  }

  private static void stop(RealDaemon daemon) throws Exception {
    daemon.ask("stop");
    assertTrue(daemon.process().waitFor(60, TimeUnit.SECONDS), "it runs on");
  }
}
