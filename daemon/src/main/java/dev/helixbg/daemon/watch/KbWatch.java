package dev.helixbg.daemon.watch;

import dev.helixbg.config.Settings.DaemonSettings;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.decisions.DecisionStore;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.sources.SourceCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one KB: looks at its log, the settings' models and sources, and what was decided; waits
 * until they rest; has {@link KbUpdate} bring vectors and report up to date, once a change.
 *
 * <p>Sizes and times tell that something may have changed; what has changed is decided by content.
 * While they stay, nothing is read (decision 53).
 */
public final class KbWatch {
  private static final Logger LOG = LoggerFactory.getLogger(KbWatch.class);

  /** A log that never rests is read all the same after so long. */
  static final Duration READ_ANYWAY_AFTER = Duration.ofSeconds(60);

  private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);

  /** Shortest time between two writings of {@code embeddings.bin}. */
  public static final Duration PUBLISH_AFTER = Duration.ofMinutes(1);

  /** The same for each entry: the file then grows by less than 160 KB a second on average. */
  private static final Duration PUBLISH_AFTER_PER_ENTRY = Duration.ofMillis(10);

  private final Kb kb;
  private final KbStores stores;
  private final KbFiles files;
  private final Predicate<Kb> hints;
  private final DaemonClock clock;
  private final TroubleLog troubles;
  private final DaemonMetrics metrics;
  private final String name;

  private final Pipeline pipeline;
  private final DaemonSettings settings;
  private final KbUpdate update;

  /** Watch of the notes of a KB that is made of notes. */
  private final Optional<NotesWatch> notes;

  /** The models folder when its language model was last looked up in it. */
  private Optional<FileState> modelFolder = Optional.empty();

  /** The language model that would be asked. */
  private Optional<Path> model;

  /** The state for which everything is done; null when something is to be done. */
  private KbStamp done;

  /** A state that may not be at rest yet, and since when it is this one. */
  private KbStamp pending;

  private long pendingSince;

  /** When the first of the changes since {@link #done} was seen. */
  private long changedSince;

  /** The log when it was last looked at; null before. */
  private FileState seenLog;

  /** When {@code embeddings.bin} was last written; empty before the first time. */
  private OptionalLong vectorsPublished = OptionalLong.empty();

  /** Whether {@code embeddings.bin} is not of the log for which everything else is done. */
  private boolean vectorsWait;

  private int failures;
  private long retryAt;

  // For status, read by other threads.
  private volatile int entries = -1;
  private volatile long restsSince;
  private volatile String logSha256 = "";
  private volatile int changes;
  private volatile boolean gone;
  private volatile KbIdentity found;

  /**
   * @param forgetting frees what the pipeline keeps from one run to the next
   * @param hints makes sure that the loop is told of the next change, and says whether it will be.
   *     Called before each look, and therefore cheap. A hint and no more: the watch looks for
   *     itself
   */
  public KbWatch(
      Kb kb,
      KbStores stores,
      Pipeline pipeline,
      Runnable forgetting,
      KbFiles files,
      Predicate<Kb> hints,
      DaemonClock clock,
      TroubleLog troubles,
      DaemonMetrics metrics) {
    this.kb = kb;
    this.stores = stores;
    this.files = files;
    this.hints = hints;
    this.clock = clock;
    this.troubles = troubles;
    this.metrics = metrics;
    this.name = kb.folder().toString();
    this.restsSince = clock.nanos();
    this.pipeline = pipeline;
    this.update = new KbUpdate(pipeline, forgetting, files, clock, metrics);
    this.model = pipeline.settings().llm().model();
    this.settings = pipeline.settings().daemon();
    this.notes =
        NotesKb.of(kb, pipeline.settings())
            .map(found -> new NotesWatch(found, settings.unwatchedPoll(), settings.quiet()));
  }

  public Kb kb() {
    return kb;
  }

  /** Live entries at the last reading, −1 before the first. */
  public int entries() {
    return entries;
  }

  /** The work on this KB, and its outcome. */
  public KbUpdate update() {
    return update;
  }

  /** Whether there is nothing to watch at present. */
  public boolean isGone() {
    return gone;
  }

  /** The KB as it was when it was last brought up to date. */
  public Optional<KbIdentity> found() {
    return Optional.ofNullable(found);
  }

  /** Hash of the log with which report and vectors agree; empty if they are not up to date. */
  public String upToDateWith() {
    return logSha256;
  }

  /** The trouble that keeps this KB from being up to date. */
  public Optional<String> trouble() {
    return troubles.on(name);
  }

  /** Nanoseconds of {@link DaemonClock} since when the log was not seen to change. */
  public long restsSince() {
    return restsSince;
  }

  /** A number that differs when log, model, or what lies beside the log has changed. */
  public int changes() {
    return changes;
  }

  /** The store of the KB. */
  public KbStore store() {
    return stores.of(kb);
  }

  /**
   * Has the pairs read that a first look left out. Call from another thread than the loop's; then
   * {@link KbUpdate#runAgain}.
   *
   * @throws InterruptedException when interrupted; what was read until then is saved
   */
  public void readPairs() throws InterruptedException {
    update.readPairs(store());
  }

  /**
   * Embeds the passages that a first look left out. Call from another thread than the loop's; then
   * {@link KbUpdate#runAgain}.
   *
   * @throws InterruptedException when interrupted; what was embedded until then is saved
   */
  public void embedPassages() throws InterruptedException {
    String wanted = logSha256;
    LogReading log = files.read(kb.dataLog());
    metrics.readings.increment();
    if (log.account().sha256().equals(wanted)) { // else the loop sees to it
      pipeline.updateVectors(store(), log, true);
    }
  }

  /**
   * Looks at the KB and does what is due. An error is a trouble; the work is tried again.
   *
   * @return nanoseconds after which it wants to look again
   * @throws InterruptedException when interrupted; what was embedded until then is saved
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
        troubles.met(name, Failure.reason(io));
      } else {
        troubles.met(name, e);
      }
      if (e instanceof Error) {
        update.forget(); // it may be what there is no memory for
      }
      return later();
    }
  }

  private long look() throws Exception {
    long poll = poll();
    long now = clock.nanos();
    KbStamp stamp;
    try {
      stamp = stamp();
      gone = false;
    } catch (IOException e) {
      lose(e);
      return settings.poll().toNanos();
    }
    if (stamp.equals(done) && !update.isWantedAgain()) {
      pending = null;
      if (untilPublishing() <= 0) {
        return locked(() -> publishVectors(store(), poll));
      }
      troubles.over(name);
      return Math.min(poll, untilPublishing());
    }
    if (!stamp.equals(pending)) {
      noteChange(stamp, now);
    }
    long rested = now - pendingSince;
    if (rested < settings.quiet().toNanos() && now - changedSince < READ_ANYWAY_AFTER.toNanos()) {
      return settings.quiet().toNanos() - rested;
    }
    if (failures > 0 && now < retryAt) {
      return Math.min(poll, retryAt - now);
    }
    return locked(() -> bringUpToDate(store(), stamp, poll));
  }

  /**
   * States of the files that a report is made from: where none has changed, the report would be the
   * same. Files that helix-bg writes are not among them, but for the copy of the decisions.
   *
   * @param model the file of the language model, if there is one
   * @param sources what tells of the commits that are checked out in folders of sources
   * @param decisions the copy of the decisions; empty before the first
   */
  private record KbStamp(
      FileState log,
      Optional<FileState> model,
      List<Optional<FileState>> sources,
      Optional<FileState> decisions) {}

  /**
   * @throws IOException when the log is missing or cannot be looked at
   */
  private KbStamp stamp() throws IOException {
    return new KbStamp(
        files.state(kb.dataLog()),
        model(),
        SourceCheck.watched(pipeline.settings().sources()).stream()
            .map(files::stateOrNone)
            .toList(),
        files.stateOrNone(DecisionStore.copyOf(store().database().file())));
  }

  /** The models folder is read only when something in it came or went. */
  private Optional<FileState> model() {
    if (pipeline.settings().llm().model().isEmpty()) {
      Optional<FileState> now = files.stateOrNone(pipeline.settings().embed().models());
      if (!now.equals(modelFolder)) {
        modelFolder = now;
        model = LanguageModelFile.locate(pipeline.settings()).map(LanguageModelFile::file);
      }
    }
    return model.flatMap(files::stateOrNone);
  }

  /** Nanoseconds until the vectors that wait are published; the largest number when none wait. */
  private long untilPublishing() {
    if (!vectorsWait) {
      return Long.MAX_VALUE;
    }
    if (vectorsPublished.isEmpty()) {
      return 0;
    }
    Duration wait = PUBLISH_AFTER_PER_ENTRY.multipliedBy(Math.max(0, entries));
    long nanos = Math.max(PUBLISH_AFTER.toNanos(), wait.toNanos());
    return nanos - (clock.nanos() - vectorsPublished.getAsLong());
  }

  /** A KB that cannot be looked at is not worked on. */
  private void lose(IOException e) {
    String what =
        Files.isDirectory(kb.folder())
            ? "data.log cannot be looked at: " + Failure.reason(e)
            : "the folder is not there: moved, deleted or not mounted";
    troubles.met(name, what + "; waiting for it");
    gone = true;
    logSha256 = "";
    update.forgetOutcome();
    pending = null;
    done = null;
  }

  private void noteChange(KbStamp stamp, long now) {
    if (pending == null) {
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

  /**
   * Does a step under the lock of the KB.
   *
   * @param work gives the nanoseconds after which to look again
   */
  private long locked(Callable<Long> work) throws Exception {
    long start = System.nanoTime();
    try (ProcessLock lock = files.lock(store())) {
      return work.call();
    } finally {
      metrics.workNanos.add(System.nanoTime() - start);
    }
  }

  private long bringUpToDate(KbStore store, KbStamp stamp, long poll)
      throws IOException, InterruptedException {
    KbIdentity here = KbIdentity.of(kb);
    LogReading log = files.read(kb.dataLog());
    metrics.readings.increment();
    KbStamp after = stamp();
    if (!after.log().equals(stamp.log())
        && clock.nanos() - changedSince < READ_ANYWAY_AFTER.toNanos()) {
      noteChange(after, clock.nanos()); // it went on while it was read
      return settings.quiet().toNanos();
    }
    entries = log.account().live();
    pending = null;
    update.run(store, log, here);
    done = stamp;
    found = here;
    logSha256 = log.account().sha256();
    vectorsWait = !store.outputs().areVectorsInPlace(logSha256);
    if (untilPublishing() <= 0) {
      publish(store, log);
    }
    failures = 0;
    troubles.over(name);
    return Math.min(poll, untilPublishing());
  }

  /** Puts the vectors that wait where other programs read them. The report stays as it is. */
  private long publishVectors(KbStore store, long poll) throws IOException, InterruptedException {
    LogReading log = files.read(kb.dataLog());
    metrics.readings.increment();
    if (!log.account().sha256().equals(logSha256)) {
      done = null; // it changed and did not look like it
      return settings.quiet().toNanos();
    }
    found.check();
    publish(store, log);
    troubles.over(name);
    return poll;
  }

  private void publish(KbStore store, LogReading log) throws InterruptedException {
    update.publishVectors(store, log);
    vectorsPublished = OptionalLong.of(clock.nanos());
    vectorsWait = false;
    LOG.info("{}: the vectors of {} entries published", name, entries);
  }

  /** After a failure: as often as ever at first, then less and less often. */
  private long later() {
    long poll = settings.poll().toNanos();
    long longest = Math.max(poll, LONGEST_RETRY.toNanos());
    long wait = Math.clamp(poll << Math.min(failures, 10), 1, longest);
    failures++;
    retryAt = clock.nanos() + wait;
    done = null;
    return Math.min(wait, poll);
  }

  /** Until the next look at a KB that rests: as long as usual if changes are told meanwhile. */
  private long poll() {
    return (hints.test(kb) ? settings.poll() : settings.unwatchedPoll()).toNanos();
  }
}
