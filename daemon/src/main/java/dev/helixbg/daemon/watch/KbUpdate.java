package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.Report;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates vectors and report of one KB, on the thread of {@link DaemonLoop}, under the KB's lock.
 */
public final class KbUpdate {
  private static final Logger LOG = LoggerFactory.getLogger(KbUpdate.class);

  private final Pipeline pipeline;
  private final Runnable forgetting;
  private final OneShotRun runs;
  private final KbFiles files;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;

  private volatile boolean again;

  // Other threads read these fields for the status.
  private volatile int entries = -1;
  private volatile Instant published;
  private volatile int questions = -1;
  private volatile Optional<FirstLook> left = Optional.empty();
  private volatile Pipeline.Outcome outcome;

  KbUpdate(
      Pipeline pipeline,
      Runnable forgetting,
      KbFiles files,
      DaemonClock clock,
      DaemonMetrics metrics) {
    this.pipeline = pipeline;
    this.forgetting = forgetting;
    this.files = files;
    this.runs = new OneShotRun(pipeline, files);
    this.clock = clock;
    this.metrics = metrics;
  }

  /** Returns the number of entries in the report; −1 before the first update. */
  public int entries() {
    return entries;
  }

  /** Returns the time when this process last published a report. */
  public Optional<Instant> published() {
    return Optional.ofNullable(published);
  }

  /** Returns the number of questions left for the language model; −1 before the first update. */
  public int questions() {
    return questions;
  }

  /** Returns the parts that a first look (an early report) lacks; empty for a complete report. */
  public Optional<FirstLook> left() {
    return left;
  }

  /**
   * Returns the last update's outcome; empty if another process made the report, or if the outcome
   * was released.
   */
  public Optional<Pipeline.Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  void forgetOutcome() {
    outcome = null;
  }

  /** Releases memory whose only use is to make the next update faster. */
  public void forget() {
    forgetting.run();
    forgetOutcome();
  }

  /**
   * Requests an update even if no file has changed, because the report lacks answers or the outcome
   * is missing.
   */
  public void runAgain() {
    again = true;
  }

  boolean isWantedAgain() {
    return again;
  }

  /** Updates vectors and report, unless the report is up to date. */
  OneShotRun.Result run(KbStore store) throws InterruptedException {
    boolean wanted = again;
    again = false;
    OneShotRun.Result result =
        runs.run(
            store,
            (last, now) -> last.basis().equals(now),
            Optional.of(look -> notePublished(store, look)));
    Optional<Pipeline.Outcome> made = result.made();
    if (made.isPresent()) {
      notePublished(store, made.get());
    } else {
      entries = store.report().entries().size();
      if (wanted) { // only the outcome is missing; the report stays as it is
        made = Optional.of(pipeline.run(store, files.read(store.kb().dataLog()), looks -> {}));
      }
    }
    if (made.isPresent()) {
      metrics.readings.increment();
      outcome = made.get();
    }
    questions = made.map(Pipeline.Outcome::questions).orElse(result.questions());
    left = Optional.empty();
    return result;
  }

  private void notePublished(KbStore store, Pipeline.Outcome made) {
    Report report = made.report();
    entries = report.log().live();
    left = report.firstLook();
    published = clock.now();
    metrics.reports.increment();
    LOG.info(
        "{}: {} entries, {} texts embedded, {} published",
        store.kb().folder(),
        report.log().live(),
        made.vectors().embedded(),
        left.isPresent() ? "first look" : "report");
    left.ifPresent(look -> LOG.info("{}: {}", store.kb().folder(), look.words()));
  }
}
