package dev.helixbg.daemon;

import dev.helixbg.daemon.FaultyDisk.Dead;
import dev.helixbg.daemon.FaultyDisk.Fault;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Causes a fault at the Nth file operation in the KB's folder, in runs of one-shot and of the
 * daemon: it fails, it writes only half, the disk is full from then on, or the process dies.
 * Successive seeds go through all N, all faults and both kinds of runs, in a scattered order.
 */
final class TortureFiles extends TortureArea {
  private static final List<Fault> FAULTS =
      List.of(Fault.ONE, Fault.SHORT, Fault.FULL, Fault.DEATH);

  /**
   * Step between the operations of successive seeds: a prime larger than their number, so that a
   * few seeds are spread over a whole run.
   */
  private static final long STRIDE = 7_919;

  /** The kind of run in which the fault happens. */
  private enum Kind {
    ONE_SHOT,
    DAEMON
  }

  private final Path folder;
  private final FaultyDisk disk = new FaultyDisk();
  private final Map<Kind, Integer> operations = new EnumMap<>(Kind.class);

  TortureFiles(Path folder) throws Exception {
    this.folder = folder;
    Path kb = Files.createDirectories(folder.resolve("live/kb"));
    TortureKb.begin(kb);
    new TortureKb(kb, kb, folder.resolve("live")).oneShot();
    copy(folder.resolve("live"), folder.resolve("template"));
    for (Kind kind : Kind.values()) {
      TortureKb fresh = kb();
      disk.failAt(Integer.MAX_VALUE, Fault.NONE);
      live(fresh, kind);
      operations.put(kind, disk.operations());
      counts.put("operations of " + kind, (long) disk.operations());
      require(disk.mend() == 0, "files are left open without any fault");
    }
  }

  /** Returns a fresh copy of the KB and its store, without faults so far. */
  private TortureKb kb() throws IOException {
    Path live = folder.resolve("live");
    Torture.delete(live);
    copy(folder.resolve("template"), live);
    Path kb = live.resolve("kb");
    return new TortureKb(disk.of(kb), kb, live);
  }

  static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(
            file, to.resolve(from.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  @Override
  void run(long seed) throws Exception {
    Kind kind = Kind.values()[(int) Math.floorMod(seed, 2L)];
    Fault fault = FAULTS.get((int) Math.floorMod(seed / 2, 4L));
    int at = (int) Math.floorMod(seed / 8 * STRIDE, (long) operations.get(kind));
    TortureKb kb = kb();
    disk.failAt(at, fault);
    DaemonFixture daemon = null;
    try {
      daemon = live(kb, kind);
    } catch (Dead e) {
      count("deaths");
    } finally {
      int open = disk.mend();
      require(open == 0, "%s, operation %d, %s: %d files are left open", kind, at, fault, open);
    }
    try {
      kb.requireAcknowledged();
      kb.requireAnswers();
      kb.requireWhole();
      long left = kb.leftovers();
      require(left <= (disk.kept() ? 1 : 0), "%d files in the making are left", left);
      kb.append(1);
      if (kind == Kind.DAEMON) {
        DaemonFixture heals = daemon == null ? kb.daemon() : daemon;
        heals.run(TortureKb.A_WHILE);
        heals.stores.close();
      } else {
        kb.oneShot();
      }
      kb.requireAcknowledged();
      require(kb.leftovers() == 0, "%d files in the making are left for good", kb.leftovers());
      kb.requireAsFromNothing(folder.resolve("fresh"));
    } catch (RuntimeException | AssertionError e) {
      throw new IllegalStateException(
          "%s, operation %d of %d, %s".formatted(kind, at, operations.get(kind), fault), e);
    }
  }

  /** Runs one-shot or a daemon; returns the daemon, if any. */
  private DaemonFixture live(TortureKb kb, Kind kind) throws Exception {
    if (kind == Kind.ONE_SHOT) {
      kb.trySay(1);
      kb.append(3);
      kb.tryOneShot();
      kb.trySay(2);
      kb.append(3);
      kb.tryOneShot();
      kb.tryOneShot();
      kb.trySay(3);
      return null;
    }
    DaemonFixture daemon = kb.daemon();
    try {
      daemon.run(Duration.ofSeconds(10));
      kb.append(3);
      daemon.look();
      daemon.run(Duration.ofSeconds(10));
      kb.trySay(1);
      daemon.look();
      daemon.run(Duration.ofMinutes(3)); // long enough that vectors are published
      kb.append(1);
      daemon.look();
      daemon.run(Duration.ofSeconds(10));
      if (disk.isDead()) {
        throw new Dead(); // code has handled the simulated death as a problem of the disk
      }
      return daemon;
    } catch (Dead e) {
      daemon.stores.close();
      throw e;
    }
  }
}
