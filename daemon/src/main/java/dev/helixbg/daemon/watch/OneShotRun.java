package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.TerminalSummary;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * Updates a KB once, unless its report was made from the present log, settings, models and
 * decisions.
 */
public record OneShotRun(Pipeline pipeline, KbFiles files) {

  /** Returns a run over a log that may be changing, for which it waits. */
  public OneShotRun(Pipeline pipeline) {
    this(pipeline, KbFiles.QUIET);
  }

  /**
   * The report after a run.
   *
   * @param summary summary for a terminal, with colours
   * @param questions number of open questions for the language model
   * @param made empty if there was nothing to do
   */
  public record Result(
      String summary, String logSha256, int questions, Optional<Pipeline.Outcome> made) {}

  /**
   * Whether the last report needs no update; takes no lock and writes nothing. {@code enough} tells
   * whether the report's basis is close enough to the present basis.
   */
  public boolean isDone(KbStore store, BiPredicate<LastReport.Origin, ReportBasis> enough) {
    return done(store, pipeline.basis(store), enough).isPresent()
        && store.outputs().isReportInPlace();
  }

  private Optional<LastReport.Origin> done(
      KbStore store, ReportBasis basis, BiPredicate<LastReport.Origin, ReportBasis> enough) {
    return store
        .report()
        .origin()
        .filter(last -> last.firstLook().isEmpty() && enough.test(last, basis))
        .filter(last -> store.outputs().isLog(last.logSha256()))
        .filter(last -> store.outputs().areVectorsInPlace(last.logSha256()));
  }

  /**
   * Updates vectors and report. The caller must have the KB's lock.
   *
   * @param reader receives each published first look (an early report); if empty, none is made
   * @throws InterruptedException when interrupted; the vectors and answers until then are saved
   */
  public Result run(
      KbStore store,
      BiPredicate<LastReport.Origin, ReportBasis> enough,
      Optional<Consumer<Pipeline.Outcome>> reader)
      throws InterruptedException {
    Kb.Identity here = Kb.Identity.of(store.kb());
    ReportBasis basis = pipeline.basis(store);
    Optional<LastReport.Origin> done = done(store, basis, enough);
    if (done.isPresent()) {
      LastReport.Origin last = done.get();
      if (!store.outputs().isReportInPlace()) { // the report was deleted or changed
        store.outputs().publishReport(last.logSha256());
      }
      return new Result(last.summary(), last.logSha256(), last.questions(), Optional.empty());
    }
    LogReading log = files.read(store.kb().dataLog());
    Pipeline.FirstLooks looks =
        known -> {
          if (reader.isPresent()) {
            Pipeline.Outcome look = known.take();
            here.check();
            files.publish(store, look.report(), basis, look.questions(), "");
            reader.get().accept(look);
          }
        };
    Pipeline.Outcome made = pipeline.run(store, log, looks);
    here.check();
    String summary = TerminalSummary.render(made.report());
    files.publish(
        store, made.report(), pipeline.basisAfter(store, basis), made.questions(), summary);
    store.outputs().publishVectors(log, made.vectors().entries().vectors().rows());
    return new Result(summary, log.account().sha256(), made.questions(), Optional.of(made));
  }
}
