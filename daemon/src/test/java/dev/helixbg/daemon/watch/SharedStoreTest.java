package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a daemon, runs, lists of findings and decisions at the same time, each with its own
 * database connection.
 */
@Timeout(300)
class SharedStoreTest {
  private static final int DECISIONS = 200;

  @TempDir Path folder;

  private final AtomicBoolean over = new AtomicBoolean();
  private WritableKb writer;

  private KbStores stores() {
    return new KbStores(DaemonFixture.settings(folder, Map.of()), notice -> {});
  }

  private Void live() throws Exception {
    DaemonFixture daemon = new DaemonFixture(folder, writer.kb());
    while (!over.get()) {
      writer.append();
      daemon.run(Duration.ofSeconds(10));
    }
    daemon.run(Duration.ofMinutes(6));
    assertEquals(Optional.empty(), daemon.watch.trouble());
    return null;
  }

  private Void runAgainAndAgain() throws Exception {
    try (KbStores stores = stores()) {
      while (!over.get()) {
        run(stores.of(writer.kb()));
      }
    }
    return null;
  }

  private void run(KbStore store) throws InterruptedException {
    try (var lock = store.lock()) {
      DaemonFixture.oneShot(DaemonFixture.settings(folder, Map.of()), store);
    } catch (Failure e) {
      assertEquals(ExitCode.BUSY, e.code(), e.getMessage());
    }
  }

  /** Lists findings again and again; each list must belong to one report, with its texts. */
  private Integer listAgainAndAgain() {
    int lists = 0;
    try (KbStores stores = stores()) {
      while (!over.get()) {
        LastReport report = stores.of(writer.kb()).report();
        LastReport.Listing listing = report.list();
        List<Integer> ranks =
            listing.findings().stream()
                .filter(one -> one.section().equals("relations"))
                .flatMapToInt(one -> one.rank().stream())
                .sorted()
                .boxed()
                .toList();
        for (int i = 0; i < ranks.size(); i++) {
          assertEquals(i + 1, ranks.get(i), "half a report");
        }
        report.told(listing.findings());
        lists++;
      }
    }
    return lists;
  }

  /**
   * @return the longest time that a decision took
   */
  private Duration decide() {
    long longest = 0;
    try (KbStores stores = stores()) {
      for (int i = 0; i < DECISIONS; i++) {
        long start = System.nanoTime();
        stores
            .of(writer.kb())
            .decisions()
            .add(
                List.of(
                    new Decision(
                        "rel-%010d".formatted(i), Decision.Outcome.DISMISSED, Instant.EPOCH, "")));
        longest = Math.max(longest, System.nanoTime() - start);
      }
    } finally {
      over.set(true);
    }
    return Duration.ofNanos(longest);
  }

  @Test
  void nothingIsLostAndNoDecisionWaits() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1), 100);
    try (KbStores stores = stores();
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      run(stores.of(writer.kb()));
      Future<Void> daemon = threads.submit((Callable<Void>) this::live);
      Future<Void> runs = threads.submit((Callable<Void>) this::runAgainAndAgain);
      Future<Integer> lists = threads.submit((Callable<Integer>) this::listAgainAndAgain);
      Duration longest = threads.submit((Callable<Duration>) this::decide).get();
      daemon.get();
      runs.get();
      assertTrue(lists.get() > 0);
      assertEquals(
          DECISIONS, stores.of(writer.kb()).decisions().read().settled().size(), "none is lost");
      // The promise is one second, but on a busy machine a thread may wait that long for a core.
      assertTrue(
          longest.toMillis() < 1_000 || OperatingSystem.load() > 0.5, "a decision took " + longest);
      List<ReportedFinding> found = stores.of(writer.kb()).report().list().findings();
      assertTrue(found.size() > 0);
    }
  }
}
