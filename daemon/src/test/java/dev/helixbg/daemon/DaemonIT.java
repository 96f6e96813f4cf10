package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the built daemon as a process: how it ends, and how it handles faults of real file systems.
 */
@Timeout(1_200)
class DaemonIT {
  private static final Duration PATIENCE = Duration.ofMinutes(5); // the model is prepared in it

  @TempDir Path folder;

  @BeforeEach
  void letOthersIn() throws IOException {
    OnDisk.setMode(folder, "rwxr-xr-x");
  }

  /** Returns a daemon without the trial of the other embedding method, which takes 10 s. */
  private RealDaemon ofOnePrecision() throws IOException {
    RealDaemon daemon = RealDaemon.hasty(folder.resolve("home"));
    daemon.settings(RealDaemon.HASTY + "[embed]\nprecision = \"int8\"\n");
    return daemon;
  }

  private static void await(Callable<Boolean> condition, RealDaemon daemon) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() - deadline < 0, "waited in vain: " + daemon.log());
      Thread.sleep(50);
    }
  }

  @Test
  void itEndsWithinTwoSecondsInTheMiddleOfWork() throws Exception {
    Path kb = GeneratedKb.write(folder.resolve("kb"), 5_000);
    try (RealDaemon daemon = ofOnePrecision()) {
      daemon.start(kb);
      await(() -> daemon.stores().vectors(kb) > 0, daemon);
      Duration took = daemon.end();
      // The daemon ended by itself although the model's library had not ended in time, as after
      // Ctrl-C.
      int code = daemon.process().exitValue();
      assertTrue(code == 143 || code == 130 && OperatingSystem.load() > 0.5, code + daemon.log());
      // The promise is two seconds, but test machines are busy. Without the cancellation of work,
      // the end would take ten seconds.
      assertTrue(took.toMillis() < 8_000 || OperatingSystem.load() > 1, "it took " + took);
      assertTrue(daemon.stores().vectors(kb) < 5_000, "it had finished before");
      assertFalse(Files.exists(kb.resolve("insights/report.json")), "no report of half the log");
    }
  }

  @Test
  void ctrlCEndsItAndNothingIsLeftToDoButToPublish() throws Exception {
    WritableKb kb = new WritableKb(folder.resolve("kb"), new Random(1), 40);
    Path home = folder.resolve("home");
    PreparedModel.linkInto(home.resolve("cache"), Program.DIST);
    try (RealDaemon daemon = RealDaemon.hasty(home, ExternalTool.heedingCtrlC())) {
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(40, PATIENCE);
      String pid = Long.toString(daemon.process().pid());
      assertTrue(ExternalTool.succeeds("kill", "-INT", pid));
      assertTrue(daemon.process().waitFor(60, TimeUnit.SECONDS), "it runs on");
      assertEquals(130, daemon.process().exitValue(), daemon.log());
      assertFalse(Files.exists(folder.resolve("home/.helix/helix-bg.sock")));
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(40, PATIENCE);
      assertEquals(0, daemon.status().orElseThrow().at("/metrics/embedded").asInt());
      assertEquals(0, daemon.status().orElseThrow().at("/metrics/reports").asInt());
    }
  }

  @Test
  void itAnswersEachOfItsCommands() throws Exception {
    Path home = folder.resolve("home");
    WritableKb kb = SaidTwice.in(folder.resolve("kb"));
    try (RealDaemon daemon = RealDaemon.hasty(home)) {
      Program program = new Program(home).withoutC2();
      for (String command : List.of("status", "stop")) {
        program.run(command).with(ExitCode.NO_DAEMON);
      }
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(5, PATIENCE);
      JsonNode status = program.run("status", "--json").ok().json();
      assertEquals(5, status.at("/kbs/0/entries").asInt());
      assertEquals(daemon.process().pid(), status.path("pid").asLong());
      assertTrue(program.run("status").ok().out().contains("5 entries, up to date"));
      String folder = kb.kb().folder().toString();
      String found =
          program.run("search", "--kb", folder, "-n", "1", "how are thumbnails made").ok().out();
      assertTrue(found.contains("photos:0"), found);
      assertEquals(1, program.run("status", "--json").ok().json().at("/metrics/searches").asInt());
      program.run("daemon", folder).with(ExitCode.BUSY); // and the first one goes on
      program.run("stop").ok();
      assertTrue(daemon.process().waitFor(60, TimeUnit.SECONDS), "it runs on");
      assertEquals(0, daemon.process().exitValue(), "a service manager leaves it ended");
      String logs = program.run("service", "logs").ok().out();
      assertTrue(logs.lines().toList().getLast().contains("stopped"), logs);
    }
  }

  @Test
  void aDiskThatIsFullOrReadOnlyIsWaitedOut() throws Exception {
    assumeTrue(Files.getOwner(folder).getName().equals("root"), "mounting needs root");
    Path disk = Files.createDirectories(folder.resolve("disk"));
    ExternalTool.mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString());
    try (RealDaemon daemon = RealDaemon.hasty(folder.resolve("home"))) {
      WritableKb kb = new WritableKb(disk.resolve("kb"), new Random(1), 5);
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(5, PATIENCE);

      Path ballast = disk.resolve("ballast");
      Path spare = Files.write(disk.resolve("spare"), new byte[4096]);
      ExternalTool.fill(ballast);
      Files.delete(spare);
      kb.append();
      ExternalTool.fill(spare);
      // Does not check the problem alone, which may be about embeddings.bin; the report with five
      // entries comes first.
      // The store is on another disk.
      await(() -> daemon.stores().vectors(kb.kb().folder()) == 6, daemon);
      await(() -> trouble(daemon).contains("No space left"), daemon);
      Files.delete(ballast);
      Files.delete(spare);
      daemon.awaitUpToDate(6, PATIENCE);

      ExternalTool.mount("-o", "remount,ro", disk.toString());
      daemon.run("one-shot", kb.kb().folder().toString());
      String said = Files.readString(folder.resolve("home/out"));
      assertTrue(said.contains("is not writable: the report is in"), said);
      ExternalTool.mount("-o", "remount,rw", disk.toString());
      kb.append();
      daemon.awaitUpToDate(7, PATIENCE);
      assertTrue(count(daemon, " WARN ") <= 4, "each trouble is logged once: " + daemon.log());
      daemon.end();
    } finally {
      new ProcessBuilder("umount", disk.toString()).start().waitFor(30, TimeUnit.SECONDS);
    }
  }

  /** Finds a loop that never rests; scripts/bench-rest measures ten minutes. */
  @Test
  void atRestItTakesNoProcessorTimeAndHoldsNoModel() throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "Linux counts there");
    WritableKb kb = new WritableKb(folder.resolve("kb"), new Random(1), 100);
    try (RealDaemon daemon =
        new RealDaemon(folder.resolve("home"), Program.DIST, List.of()).withoutC2()) {
      daemon.settings(
          "[daemon]\nquiet_seconds = 0.2\nembedder_idle_minutes = 0\nmodel_quiet_minutes = 0.01\n"
              + "model_max_load = 1000\n");
      daemon.start(kb.kb().folder());
      daemon.awaitUpToDate(100, PATIENCE);
      await(() -> !daemon.status().orElseThrow().path("embedderLoaded").asBoolean(), daemon);
      Thread.sleep(3_000); // until the JVM's compilers have finished
      List<Double> used = new ArrayList<>(); // a busy loop uses processor time in every interval
      do {
        assertTrue(used.size() < 6, "processor time in 10 s of rest: " + used + daemon.log());
        double before = cpuSeconds(daemon);
        Thread.sleep(10_000);
        used.add(cpuSeconds(daemon) - before);
      } while (used.getLast() > 0.1);
      long resident = daemon.status().orElseThrow().at("/metrics/residentBytes").asLong();
      // 138 to 153 million bytes on four machines, depending on processor and load; with a model
      // more than 220 million
      assertTrue(resident < 190_000_000, resident + " bytes are resident");
      daemon.end();
    }
  }

  /** Returns the processor seconds of all threads of a daemon, in steps of 0.01 s. */
  private static double cpuSeconds(RealDaemon daemon) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + daemon.process().pid() + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
  }

  private static String trouble(RealDaemon daemon) {
    return daemon
        .status()
        .map(status -> status.path("kbs").get(0).path("trouble").asText(""))
        .orElse("");
  }

  private static void awaitReport(WritableKb kb, int entries, RealDaemon daemon) throws Exception {
    Path report = ReportFolder.of(kb.kb()).json();
    String live = "\"liveEntries\": " + entries;
    await(() -> Files.exists(report) && Files.readString(report).contains(live), daemon);
  }

  private static long count(RealDaemon daemon, String pattern) throws IOException {
    return daemon.log().lines().filter(line -> line.matches(".*" + pattern + ".*")).count();
  }

  /** Root ignores permissions, so this daemon is started as the user nobody. */
  @Test
  void permissionsLostAndRegained() throws Exception {
    assumeTrue(Files.getOwner(folder).getName().equals("root"), "becoming nobody needs root");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "no setpriv here");
    WritableKb kb = new WritableKb(folder.resolve("kb"), new Random(1), 4);
    Path home = folder.resolve("home");
    PreparedModel.copyInto(home.resolve("cache"), Program.DIST);
    try (RealDaemon daemon = RealDaemon.hasty(home, ExternalTool.AS_NOBODY)) {
      String at = kb.kb().folder().toString();
      assertTrue(ExternalTool.succeeds("chown", "-R", "65534:65534", home.toString(), at));
      daemon.start(kb.kb().folder());
      awaitReport(kb, 4, daemon);
      // The daemon answers only its own user, which is not root. Therefore the test watches its
      // files.
      for (int i = 0; i < 2; i++) {
        assertTrue(daemon.status().isEmpty());
      }
      assertEquals(1, count(daemon, "user root are refused"));

      OnDisk.setMode(kb.log(), "---------");
      kb.append();
      await(() -> count(daemon, "may not be read") > 0, daemon);
      OnDisk.setMode(kb.log(), "rw-------");
      awaitReport(kb, 5, daemon);
      OnDisk.setMode(kb.kb().folder(), "---------");
      await(() -> count(daemon, "cannot check data.log") > 0, daemon);
      OnDisk.setMode(kb.kb().folder(), "rwx------");
      kb.append();
      awaitReport(kb, 6, daemon);
      assertEquals(1, count(daemon, " WARN .*may not be read"), daemon.log());
      daemon.end();
    }
  }
}
