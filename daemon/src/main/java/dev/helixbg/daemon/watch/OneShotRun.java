package dev.helixbg.daemon.watch;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.ReportForReviews;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.report.TerminalSummary;
import dev.helixbg.insight.review.ReviewSubject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * All that is to be done for a KB that is not watched: nothing where the cursor says so, else
 * everything, after which the cursor is moved.
 */
public record OneShotRun(Pipeline pipeline, SealedReports reports) {

  /**
   * @param summary of the report for a terminal, with colours
   * @param made empty when there was nothing to do
   */
  public record Result(String summary, Optional<Pipeline.Outcome> made) {}

  /** Whether what a cursor leaves open may stay open. */
  @FunctionalInterface
  public interface Enough {
    /**
     * @param now what a report would be made from
     */
    boolean isEnough(KbCursor cursor, Pipeline.Basis now);
  }

  /** Hears of a first look that was written into the KB, while the run goes on. */
  @FunctionalInterface
  public interface Reader {
    void read(Report firstLook);
  }

  /** Whether nothing is to be done. Needs no lock, and writes nothing. */
  public boolean isDone(Kb kb, Enough enough) {
    return left(kb, pipeline.basis(kb), enough).isPresent();
  }

  /**
   * What reviews tell of, out of the last report: where the same would be found now, by the log,
   * settings, models and decisions. Needs no lock.
   *
   * @param log that was just read
   * @param live its entries, as a report shows them
   */
  public Optional<ReviewSubject.Found> found(Kb kb, LogReading log, List<NamedEntry> live) {
    Optional<FileState> before = report(kb);
    if (!isDone(kb, (cursor, now) -> cursor.basis().findsAs(now))) {
      return Optional.empty();
    }
    Optional<ReviewSubject.Found> found =
        ReportForReviews.read(kb, reports, log.account(), live, pipeline.settings().insight());
    return found.filter(read -> report(kb).equals(before)); // else it is another one's by now
  }

  private static Optional<FileState> report(Kb kb) {
    return KbFiles.DISK.stateOrNone(ReportFolder.of(kb).json());
  }

  /** The cursor, where nothing is to be done. */
  private Optional<KbCursor> left(Kb kb, Pipeline.Basis basis, Enough enough) {
    return KbCursor.read(kb, reports.seal())
        .filter(cursor -> enough.isEnough(cursor, basis))
        .filter(cursor -> cursor.holds(logSha256(kb), kb, reports, KbFiles.DISK));
  }

  /** Of the very bytes that a reading has; empty where there are none to be had. */
  private static String logSha256(Kb kb) {
    try {
      return KbFiles.DISK.hash(kb.dataLog()).orElse("");
    } catch (IOException e) {
      return ""; // who reads it says what is wrong
    }
  }

  /**
   * Brings vectors and report up to date. Call with the KB's lock. Before what takes long, a first
   * look is published. The cursor stays where it was until the whole report is there: a first look
   * is never called done.
   *
   * @param reader of first looks; without one there are none
   * @throws InterruptedException when interrupted; the vectors made and the answers given until
   *     then are saved
   */
  public Result run(Kb kb, Enough enough, Optional<Reader> reader) throws InterruptedException {
    KbIdentity here = KbIdentity.of(kb);
    Pipeline.Basis basis = pipeline.basis(kb);
    Optional<KbCursor> left = left(kb, basis, enough);
    if (left.isPresent()) {
      return new Result(left.get().summary(), Optional.empty());
    }
    LogReading log = DataLog.readQuiet(kb.dataLog());
    Pipeline.GoingOn goingOn =
        known -> {
          if (reader.isPresent()) {
            Report look = known.take().report();
            here.check();
            reports.write(kb, look);
            reader.get().read(look);
          }
          return true;
        };
    Pipeline.Outcome made = pipeline.run(kb, log, Saving.PUBLISHED, goingOn);
    here.check();
    reports.write(kb, made.report());
    String summary = TerminalSummary.render(made.report());
    if (pipeline.basis(kb).equals(basis)) { // else somebody decided or answered meanwhile
      KbCursor.contentOf(kb, reports, KbFiles.DISK)
          .map(
              content ->
                  new KbCursor(log.account().sha256(), basis, content, made.questions(), summary))
          .ifPresent(cursor -> cursor.write(kb, reports.seal()));
    }
    return new Result(summary, Optional.of(made));
  }
}
