package dev.helixbg.daemon;

import dev.helixbg.config.DaemonSettings;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.insight.log.DataLogException;
import dev.helixbg.insight.log.FileState;
import dev.helixbg.insight.log.LogReading;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one KB: looks at its files, waits until they rest, brings vectors and report up to date,
 * and moves the cursor only when all that has succeeded.
 *
 * <p>Sizes and times are hints that something changed; what has changed is decided by content. Once
 * an hour the log is read although nothing hints at a change.
 */
final class KbWatch {
  private static final Logger LOG = LoggerFactory.getLogger(KbWatch.class);

  private static final Duration RECHECK = Duration.ofHours(1);

  /** A log that never rests is read all the same after so long. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);

  /** New vectors wait so long in the journal before the whole cache is written. */
  static final Duration PUBLISH_AFTER = Duration.ofMinutes(1);

  /** Or so long for each entry: what is written stays below 160 KB a second on average. */
  private static final Duration PUBLISH_AFTER_PER_ENTRY = Duration.ofMillis(10);

  private final Kb kb;
  private final KbFiles files;
  private final LogHints hints;
  private final DaemonClock clock;
  private final Troubles troubles;
  private final DaemonMetrics metrics;
  private final String name;

  private final Pipeline pipeline;
  private final Runnable forgetting;
  private final DaemonSettings settings;

  /** The state for which everything is done; null when something is to be done. */
  private KbStamp done;

  private long doneAt;

  /** A state that may not be at rest yet, and since when it is this one. */
  private KbStamp pending;

  private long pendingSince;

  /** When the first of the changes since {@link #done} was seen. */
  private long changedSince;

  /** The log when it was last looked at; null before. */
  private FileState seenLog;

  /** Since when vectors were seen to wait in the journal; empty when none do. */
  private OptionalLong waitingSince = OptionalLong.empty();

  private int failures;
  private long retryAt;

  /** Whether answers and reviews are coming in, which are taken into account afterwards. */
  private boolean beingAsked;

  private boolean again;

  /** Whether the files may still be as the cursor of an earlier process left them. */
  private boolean fresh = true;

  // For status, read by other threads.
  private volatile int entries = -1;
  private volatile Instant published;
  private volatile long restsSince;
  private volatile String logSha256 = "";
  private volatile int questions = -1;
  private volatile Pipeline.Outcome outcome;

  /**
   * @param forgetting frees what the pipeline keeps from one run to the next
   */
  KbWatch(
      Kb kb,
      Pipeline pipeline,
      Runnable forgetting,
      DaemonSettings settings,
      KbFiles files,
      LogHints hints,
      DaemonClock clock,
      Troubles troubles,
      DaemonMetrics metrics) {
    this.kb = kb;
    this.files = files;
    this.hints = hints;
    this.clock = clock;
    this.troubles = troubles;
    this.metrics = metrics;
    this.name = kb.folder().toString();
    this.restsSince = clock.nanos();
    this.pipeline = pipeline;
    this.forgetting = forgetting;
    this.settings = settings;
  }

  Kb kb() {
    return kb;
  }

  /** Live entries at the last reading, −1 before the first. */
  int entries() {
    return entries;
  }

  Optional<Instant> published() {
    return Optional.ofNullable(published);
  }

  /** Of the log for which report and vectors are up to date; empty when they are not. */
  String upToDateWith() {
    return logSha256;
  }

  Optional<String> trouble() {
    return troubles.on(name);
  }

  /** Nanoseconds of {@link DaemonClock} since when the log was not seen to change. */
  long restsSince() {
    return restsSince;
  }

  /** What the language model has not been asked yet, −1 before the first reading. */
  int questions() {
    return questions;
  }

  /** What the report was made from; empty when it was made long ago, or not by this process. */
  Optional<Pipeline.Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  /** Lets go of what only makes the next update fast. */
  void forget() {
    forgetting.run();
    outcome = null;
  }

  /** Brings everything up to date once more at the next look, so that there is an outcome. */
  void runAgain() {
    again = true;
  }

  /**
   * Answers and reviews are about to be written, or no more are: the report takes all of them into
   * account at once, after the last. Call from the loop's thread.
   */
  void beingAsked(boolean is) {
    beingAsked = is;
  }

  /**
   * Looks at the KB and does what is due.
   *
   * @return nanoseconds after which it wants to look again
   * @throws InterruptedException when interrupted; what was embedded until then is saved
   */
  long tick() throws InterruptedException {
    metrics.ticks.increment();
    long poll = poll();
    long now = clock.nanos();
    KbStamp stamp;
    try {
      KbStamp found = KbStamp.of(kb, files);
      stamp = beingAsked && done != null ? found.withSaidOf(done) : found;
    } catch (IOException e) {
      troubles.met(name, "data.log cannot be looked at: " + Reasons.of(e) + "; waiting for it");
      pending = null;
      done = null;
      return settings.poll().toNanos();
    }
    if (!stamp.vectorsWait()) {
      waitingSince = OptionalLong.empty();
    } else if (waitingSince.isEmpty()) {
      waitingSince = OptionalLong.of(now);
    }
    if (stamp.equals(done) && !again && now - doneAt < RECHECK.toNanos()) {
      pending = null;
      if (untilPublishing() <= 0) {
        return locked(() -> publishVectors(stamp, poll));
      }
      troubles.over(name);
      return Math.min(poll, untilPublishing());
    }
    if (!stamp.equals(pending)) {
      noteChange(stamp, now);
    }
    long rested = now - pendingSince;
    if (rested < settings.quiet().toNanos() && now - changedSince < PATIENCE.toNanos()) {
      return settings.quiet().toNanos() - rested;
    }
    if (failures > 0 && now < retryAt) {
      return Math.min(poll, retryAt - now);
    }
    return locked(() -> bringUpToDate(stamp, poll));
  }

  /** Nanoseconds until the vectors that wait are published; as good as never when none do. */
  private long untilPublishing() {
    if (waitingSince.isEmpty()) {
      return Long.MAX_VALUE;
    }
    Duration wait = PUBLISH_AFTER_PER_ENTRY.multipliedBy(Math.max(0, entries));
    long nanos = Math.max(PUBLISH_AFTER.toNanos(), wait.toNanos());
    return nanos - (clock.nanos() - waitingSince.getAsLong());
  }

  private void noteChange(KbStamp stamp, long now) {
    if (pending == null) {
      changedSince = now;
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

  /** What a try to do something comes to. */
  private interface Work {
    /**
     * @return nanoseconds after which to look again
     */
    long run() throws IOException, InterruptedException;
  }

  /** Does something to the KB under its lock; when that fails, says so and tries again later. */
  private long locked(Work work) throws InterruptedException {
    long start = System.nanoTime();
    try (KbFiles.Lock lock = files.lock(kb)) {
      return work.run();
    } catch (Failure | DataLogException | EmbeddingException e) {
      troubles.met(name, e.getMessage());
    } catch (IOException e) {
      troubles.met(name, Reasons.of(e));
    } catch (RuntimeException e) {
      troubles.met(name, e);
    } finally {
      metrics.workNanos.add(System.nanoTime() - start);
    }
    return later();
  }

  private long bringUpToDate(KbStamp stamp, long poll) throws IOException, InterruptedException {
    LogReading log = files.read(kb.dataLog());
    metrics.readings.increment();
    KbStamp after = KbStamp.of(kb, files);
    if (!after.log().equals(stamp.log()) && clock.nanos() - changedSince < PATIENCE.toNanos()) {
      noteChange(after, clock.nanos()); // it went on while it was read
      return settings.quiet().toNanos();
    }
    entries = log.account().live();
    doneAt = clock.nanos();
    pending = null;
    if (publish(stamp, log)) {
      done = stamp;
      logSha256 = log.account().sha256();
    } else { // confirmed by a run that finds nothing left to do
      done = null;
      noteChange(stamp.withOthers(kb, files), doneAt);
    }
    failures = 0;
    troubles.over(name);
    return done == null ? settings.quiet().toNanos() : poll;
  }

  /**
   * Moves the vectors that wait in the journal to where other programs read them. Nothing else is
   * done, and nothing else changes: the report stays up to date.
   */
  private long publishVectors(KbStamp stamp, long poll) throws IOException, InterruptedException {
    LogReading log = files.read(kb.dataLog());
    metrics.readings.increment();
    done = null;
    if (!log.account().sha256().equals(logSha256)) {
      return settings.quiet().toNanos(); // it changed and did not look like it
    }
    pipeline.updateVectors(kb, log, Saving.PUBLISHED);
    KbStamp published = stamp.withVectors(kb, files);
    pipeline.updateVectors(kb, log, Saving.PUBLISHED); // is what was written what can be read?
    if (!stamp.withVectors(kb, files).equals(published)) {
      return settings.quiet().toNanos();
    }
    done = published;
    Cursor.read(kb)
        .filter(c -> c.files().equals(stamp.text()))
        .ifPresent(
            c -> new Cursor(c.logSha256(), c.basis(), published.text(), c.questions()).write(kb));
    troubles.over(name);
    LOG.info("{}: the vectors of {} entries published", name, entries);
    return poll;
  }

  /**
   * Brings everything up to date.
   *
   * @return whether it was so already: nothing was written, by us or by anybody else meanwhile
   */
  private boolean publish(KbStamp stamp, LogReading log) throws IOException, InterruptedException {
    String basis = pipeline.basis(kb);
    if (fresh) {
      fresh = false;
      Cursor here = new Cursor(log.account().sha256(), basis, stamp.text(), 0);
      Optional<Cursor> left = Cursor.read(kb).filter(here::isWhere);
      if (left.isPresent()) {
        questions = left.get().questions();
        return true;
      }
    }
    again = false;
    Saving saving = untilPublishing() <= 0 ? Saving.PUBLISHED : Saving.JOURNAL;
    Pipeline.Outcome now = pipeline.run(kb, log, saving);
    files.publish(kb, now.report());
    outcome = now;
    questions = now.questions();
    now.vectors()
        .rebuilt()
        .ifPresent(reason -> LOG.warn("{}: the vectors were made anew: {}", name, reason));
    if (stamp.withOthers(kb, files).equals(stamp)) {
      new Cursor(log.account().sha256(), basis, stamp.text(), questions).write(kb);
      return true;
    }
    published = clock.now();
    metrics.reports.increment();
    LOG.info(
        "{}: {} entries, {} texts embedded, report published",
        name,
        log.account().live(),
        now.vectors().embedded());
    return false;
  }

  /** After a failure: as often as ever at first, then less and less often. */
  private long later() {
    long wait =
        Math.clamp(
            settings.poll().toNanos() << Math.min(failures, 10),
            1,
            Math.max(settings.poll().toNanos(), LONGEST_RETRY.toNanos()));
    failures++;
    retryAt = clock.nanos() + wait;
    done = null;
    return Math.min(wait, settings.poll().toNanos());
  }

  /** Until the next look at a KB that rests: as long as usual if changes are told meanwhile. */
  private long poll() {
    boolean told = hints.follow(kb);
    Duration untold = settings.unwatchedPoll();
    Duration usual = settings.poll();
    return (told || untold.compareTo(usual) > 0 ? usual : untold).toNanos();
  }
}
