package dev.helixbg.daemon.watch;

import dev.helixbg.config.Settings.DaemonSettings;
import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.decisions.DecisionStore;
import dev.helixbg.insight.sources.SourceCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one KB. When log, model, sources or decisions have changed, and then stayed unchanged for
 * a while, {@link KbUpdate} updates vectors and report. No file is read to find out whether it
 * changed (decision 53).
 */
public final class KbWatch {
  private static final Logger LOG = LoggerFactory.getLogger(KbWatch.class);

  /** Time after which a log is read even if it is still changing. */
  static final Duration READ_ANYWAY_AFTER = Duration.ofSeconds(60);

  /**
   * Time after which model, sources and the store's folder are checked although the log is
   * unchanged. These change seldom, and a check of the log alone takes a tenth of the time.
   */
  static final Duration CHECK_ALL_AFTER = Duration.ofSeconds(30);

  /** Number of failures after which the time until the next attempt no longer doubles. */
  private static final int LONGEST_RETRY = 7;

  private final Kb kb;
  private final KbStores stores;
  private final KbFiles files;
  private final DaemonClock clock;
  private final TroubleLog troubles;
  private final DaemonMetrics metrics;
  private final String name;

  private final Pipeline pipeline;
  private final DaemonSettings settings;
  private final KbUpdate update;

  private final Optional<NotesWatch> notes;

  /** The state of all files at their last check; null before the first check. */
  private KbStamp seen;

  private long seenAt;

  /** The file in the KB's store with a copy of the decisions; null before the first check. */
  private Path decisions;

  /** The state of the present report's files; null if an update is needed in any case. */
  private KbStamp done;

  /** The state at the last noticed change; null while no change waits to be read. */
  private KbStamp pending;

  private long pendingSince;

  /** Time of the first change since the state {@link #done}, or since a failed update. */
  private long changedSince;

  /** State of the log at the last noticed change; null before the first check. */
  private FileState seenLog;

  private int failures;
  private long retryAt;

  // Other threads read these fields for the status.
  private volatile long restsSince;
  private volatile String logSha256 = "";
  private volatile int changes;
  private volatile boolean gone;

  /** {@code forgetting} releases memory that the pipeline keeps between runs. */
  public KbWatch(
      Kb kb,
      KbStores stores,
      Pipeline pipeline,
      Runnable forgetting,
      KbFiles files,
      DaemonClock clock,
      TroubleLog troubles,
      DaemonMetrics metrics) {
    this.kb = kb;
    this.stores = stores;
    this.files = files;
    this.clock = clock;
    this.troubles = troubles;
    this.metrics = metrics;
    this.name = kb.folder().toString();
    this.restsSince = clock.nanos();
    this.pipeline = pipeline;
    this.update = new KbUpdate(pipeline, forgetting, files, clock, metrics);
    this.settings = pipeline.settings().daemon();
    this.notes =
        NotesKb.of(kb, pipeline.settings())
            .map(found -> new NotesWatch(found, settings.poll(), settings.quiet()));
  }

  public Kb kb() {
    return kb;
  }

  public KbUpdate update() {
    return update;
  }

  public boolean isGone() {
    return gone;
  }

  /** Returns the hash of the log that the report was made from; empty if the report is outdated. */
  public String upToDateWith() {
    return logSha256;
  }

  /** Returns the problem that prevents the KB's update, if any. */
  public Optional<String> trouble() {
    return troubles.on(name);
  }

  /** Returns the time of the log's last seen change, in nanoseconds of {@link DaemonClock}. */
  public long restsSince() {
    return restsSince;
  }

  /** Returns a number that grows with every change of log, model, sources or decisions. */
  public int changes() {
    return changes;
  }

  public KbStore store() {
    return stores.of(kb);
  }

  /**
   * Checks the KB, does the due work, and returns the nanoseconds until the next check. A failure
   * is logged as a problem, and the work is tried again.
   */
  long tick() throws InterruptedException {
    metrics.ticks.increment();
    try {
      long untilNotes = notes.map(one -> one.look(clock.nanos())).orElse(Long.MAX_VALUE);
      return Math.min(untilNotes, look());
    } catch (Throwable e) {
      if (ErrorReporter.codeOf(e) == ExitCode.INTERRUPTED || Thread.interrupted()) {
        done = null;
        throw (InterruptedException) new InterruptedException().initCause(e);
      }
      if (e instanceof IOException io) {
        troubles.met(name, PrivateFiles.reason(io));
      } else {
        troubles.met(name, e);
      }
      if (e instanceof Error) {
        update.forget(); // the remembered data may have exhausted the memory
      }
      later();
      return settings.poll().toNanos();
    }
  }

  private long look() throws Exception {
    long poll = settings.poll().toNanos();
    long now = clock.nanos();
    KbStamp stamp;
    try {
      stamp = stamp(now);
      gone = false;
    } catch (IOException e) {
      lose(e);
      return poll;
    }
    if (stamp.equals(done) && !update.isWantedAgain()) {
      pending = null;
      troubles.over(name);
      return poll;
    }
    if (!stamp.equals(pending)) {
      noteChange(stamp, now);
    }
    long rested = now - pendingSince;
    if (rested < settings.quiet().toNanos() && now - changedSince < READ_ANYWAY_AFTER.toNanos()) {
      return settings.quiet().toNanos() - rested;
    }
    if (failures > 0 && now - retryAt < 0) {
      return Math.min(poll, retryAt - now);
    }
    bringUpToDate(stamp);
    return poll;
  }

  /**
   * States of the files from which a report is made. If all states are equal, the report is equal,
   * too. The copy of the decisions is the only one of these files that helix-bg writes.
   */
  private record KbStamp(
      FileState log,
      Optional<FileState> model,
      List<Optional<FileState>> sources,
      Optional<FileState> decisions) {}

  /**
   * Returns the state of the files. A change of the log or of the decisions makes this method check
   * all files; otherwise, it checks the other files every {@link #CHECK_ALL_AFTER}. Throws if the
   * log is missing or cannot be accessed.
   */
  private KbStamp stamp(long now) throws IOException {
    FileState log = files.state(kb.dataLog());
    if (seen == null
        || now - seenAt >= CHECK_ALL_AFTER.toNanos()
        || !log.equals(seen.log())
        || !files.stateOrNone(decisions).equals(seen.decisions())) {
      decisions = DecisionStore.copyOf(store().database().file());
      seen =
          new KbStamp(
              log,
              model(),
              SourceCheck.watched(pipeline.settings().sources()).stream()
                  .map(files::stateOrNone)
                  .toList(),
              files.stateOrNone(decisions));
      seenAt = now;
    }
    return seen;
  }

  private Optional<FileState> model() {
    return pipeline
        .settings()
        .llm()
        .model()
        .or(() -> LanguageModelFile.locate(pipeline.settings()).map(LanguageModelFile::file))
        .flatMap(files::stateOrNone);
  }

  private void lose(IOException e) {
    String what =
        Files.isDirectory(kb.folder())
            ? "cannot check data.log: " + PrivateFiles.reason(e)
            : "the folder is not there: moved, deleted or not mounted";
    troubles.met(name, what + "; waiting for it");
    gone = true;
    logSha256 = "";
    update.forgetOutcome();
    pending = null;
    done = null;
  }

  private void noteChange(KbStamp stamp, long now) {
    if (pending == null || failures > 0) {
      changedSince = now;
    }
    if (!stamp.equals(done)) {
      changes++;
    }
    if (!stamp.log().equals(seenLog)) {
      restsSince = now;
      seenLog = stamp.log();
    }
    logSha256 = "";
    pending = stamp;
    pendingSince = now;
    failures = 0;
  }

  private void bringUpToDate(KbStamp stamp) throws IOException, InterruptedException {
    long start = System.nanoTime();
    KbStore store = store();
    try (ProcessLock lock = files.lock(store)) {
      OneShotRun.Result result = update.run(store);
      pending = null;
      done = stamp;
      failures = 0;
      troubles.over(name);
      logSha256 = result.logSha256();
    } finally {
      metrics.workNanos.add(System.nanoTime() - start);
    }
  }

  /** Sets the time of the next attempt after a failure. */
  private void later() {
    long wait = settings.poll().toNanos() << Math.min(failures, LONGEST_RETRY);
    retryAt = clock.nanos() + wait;
    failures++;
    done = null;
  }
}
