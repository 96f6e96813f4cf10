package dev.helixbg.daemon.watch;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.report.TerminalSummary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * All that is to be done for a KB that is not watched: nothing where the last report is of this
 * log, these settings, models and decisions, else everything.
 */
public record OneShotRun(Pipeline pipeline) {

  /**
   * @param summary of the report for a terminal, with colours
   * @param made empty when there was nothing to do
   */
  public record Result(String summary, Optional<Pipeline.Outcome> made) {}

  /**
   * Whether nothing is to be done. Needs no lock, and writes nothing.
   *
   * @param enough whether what the last report leaves open may stay open, by what a report would be
   *     made from now
   */
  public boolean isDone(KbStore store, BiPredicate<LastReport.Origin, ReportBasis> enough) {
    return done(store, pipeline.basis(store), enough).isPresent()
        && store.outputs().isReportInPlace();
  }

  /** The last report, where it says all that there is to say. */
  private Optional<LastReport.Origin> done(
      KbStore store, ReportBasis basis, BiPredicate<LastReport.Origin, ReportBasis> enough) {
    return store
        .report()
        .origin()
        .filter(last -> last.firstLook().isEmpty() && enough.test(last, basis))
        .filter(last -> isLog(store, last.logSha256()))
        .filter(last -> store.outputs().areVectorsInPlace(last.logSha256()));
  }

  /** Whether a KB's log has this hash. A log that was seen with it is not read again. */
  private static boolean isLog(KbStore store, String sha256) {
    if (store.outputs().seenLog().equals(Optional.of(sha256))) {
      return true;
    }
    try {
      PrivateFiles.requireFile(store.kb().dataLog());
      try (InputStream log = Files.newInputStream(store.kb().dataLog())) {
        return Sha256.of(log).equals(sha256);
      }
    } catch (IOException e) {
      return false; // the run that follows says what is wrong
    }
  }

  /**
   * Brings vectors and report up to date. Call with the KB's lock. Before what takes long, a first
   * look is published.
   *
   * @param enough as {@link #isDone} has it
   * @param reader hears of each first look that was published; without one there are none
   * @throws InterruptedException when interrupted; the vectors made and the answers given until
   *     then are saved
   */
  public Result run(
      KbStore store,
      BiPredicate<LastReport.Origin, ReportBasis> enough,
      Optional<Consumer<Report>> reader)
      throws InterruptedException {
    KbIdentity here = KbIdentity.of(store.kb());
    String seen = store.outputs().logState();
    ReportBasis basis = pipeline.basis(store);
    Optional<LastReport.Origin> last = done(store, basis, enough);
    if (last.isPresent()) {
      if (!store.outputs().isReportInPlace()) { // it was deleted or changed
        store.outputs().publishReport(last.get().logSha256());
      }
      store.outputs().noteLog(seen, last.get().logSha256());
      return new Result(last.get().summary(), Optional.empty());
    }
    LogReading log = DataLog.readQuiet(store.kb().dataLog());
    Pipeline.GoingOn goingOn =
        known -> {
          if (reader.isPresent()) {
            Pipeline.Outcome look = known.take();
            here.check();
            store.publish(look.report(), basis, look.questions(), "");
            reader.get().accept(look.report());
          }
          return true;
        };
    Pipeline.Outcome made = pipeline.run(store, log, goingOn);
    here.check();
    String summary = TerminalSummary.render(made.report());
    // Answers that were given meanwhile are in the report; what was decided meanwhile is not.
    ReportBasis now = pipeline.basis(store);
    store.publish(
        made.report(), new ReportBasis(now.made(), basis.decided()), made.questions(), summary);
    Pipeline.publishVectors(store, log, made.vectors());
    store.outputs().noteLog(seen, log.account().sha256());
    return new Result(summary, Optional.of(made));
  }
}
