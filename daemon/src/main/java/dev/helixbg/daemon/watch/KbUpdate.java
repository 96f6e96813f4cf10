package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.report.TerminalSummary;
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
  private final KbFiles files;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;

  private volatile boolean again;

  // Other threads read these fields for the status.
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
    this.clock = clock;
    this.metrics = metrics;
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
  void run(KbStore store, LogReading log, Kb.Identity here) throws InterruptedException {
    ReportBasis basis = pipeline.basis(store);
    Optional<LastReport.Origin> last =
        store
            .report()
            .origin()
            .filter(one -> one.logSha256().equals(log.account().sha256()))
            .filter(one -> one.basis().equals(basis));
    boolean isDone = last.filter(one -> one.firstLook().isEmpty()).isPresent();
    if (isDone && !again) {
      questions = last.get().questions();
      left = Optional.empty();
      if (!store.outputs().isReportInPlace()) {
        store.outputs().publishReport(last.get().logSha256());
      }
      return;
    }
    again = false;
    Pipeline.Outcome made =
        pipeline.run(
            store,
            log,
            known -> {
              Pipeline.Outcome look = known.take();
              here.check();
              left = look.report().firstLook();
              publish(store, look, basis);
            });
    here.check();
    outcome = made;
    questions = made.questions();
    if (left.isPresent() || !isDone) {
      publish(store, made, basis);
    }
    left = Optional.empty();
  }

  private void publish(KbStore store, Pipeline.Outcome made, ReportBasis basis) {
    Report report = made.report();
    files.publish(store, report, basis, made.questions(), TerminalSummary.render(report));
    published = clock.now();
    metrics.reports.increment();
    LOG.info(
        "{}: {} entries, {} texts embedded, {} published",
        store.kb().folder(),
        report.log().live(),
        made.vectors().embedded(),
        report.firstLook().isPresent() ? "first look" : "report");
    report.firstLook().ifPresent(look -> LOG.info("{}: {}", store.kb().folder(), look.words()));
  }
}
