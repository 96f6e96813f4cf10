package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.Saving;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.report.TerminalSummary;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * All that is to be done for a KB that is not watched: nothing where the cursor says so, else
 * everything, after which the cursor is moved.
 */
public record CompleteRun(Pipeline pipeline, SealedReports reports) {

  /**
   * @param summary of the report for a terminal, with colours
   * @param made empty when there was nothing to do
   */
  public record Result(String summary, Optional<Pipeline.Outcome> made) {}

  /**
   * Brings vectors and report up to date. Call with the KB's lock.
   *
   * @param isEnough asked about a cursor, and what a report would be made from now: whether what it
   *     leaves open may stay open
   * @throws InterruptedException when interrupted; the vectors made and the answers given until
   *     then are saved
   */
  public Result run(Kb kb, BiPredicate<Cursor, Pipeline.Basis> isEnough)
      throws InterruptedException {
    KbIdentity here = KbIdentity.of(kb);
    LogReading log = DataLog.readQuiet(kb.dataLog());
    String sha256 = log.account().sha256();
    Pipeline.Basis basis = pipeline.basis(kb);
    Optional<Cursor> left =
        Cursor.read(kb, reports.seal())
            .filter(cursor -> isEnough.test(cursor, basis))
            .filter(cursor -> cursor.holds(sha256, kb, reports, KbFiles.DISK));
    if (left.isPresent()) {
      return new Result(left.get().summary(), Optional.empty());
    }
    Pipeline.Outcome made = pipeline.run(kb, log, Saving.PUBLISHED);
    here.check();
    reports.write(kb, made.report());
    String summary = TerminalSummary.render(made.report());
    if (pipeline.basis(kb).equals(basis)) { // else somebody decided or answered meanwhile
      Cursor.contentOf(kb, reports, KbFiles.DISK)
          .map(content -> new Cursor(sha256, basis, content, made.questions(), summary))
          .ifPresent(cursor -> cursor.write(kb, reports.seal()));
    }
    return new Result(summary, Optional.of(made));
  }
}
