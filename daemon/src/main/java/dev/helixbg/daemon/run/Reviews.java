package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.review.DriftReview;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.ReviewSubject;
import dev.helixbg.insight.review.SessionReview;
import dev.helixbg.insight.review.StaleReview;
import dev.helixbg.llm.TextModel;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Reviews of a KB: views of its last report, with a sentence of the language model about a session.
 *
 * @param modelId of the embedding model, which names entries
 */
public record Reviews(Settings settings, String modelId) {
  /**
   * @param topic whose entries are looked at; empty: all
   */
  public record Wanted(Review.Kind kind, Optional<String> topic) {}

  /**
   * The entries and the open findings that a review looks at.
   *
   * @param log of the KB, just read
   * @throws dev.helixbg.daemon.terminal.Failure when there is no report yet
   */
  public ReviewSubject subject(KbStore store, LogReading log) {
    LastReport.Listing listing = store.report().list();
    Decisions decisions = store.decisions().read();
    List<ReportedFinding> open =
        listing.findings().stream()
            .filter(finding -> !decisions.isSettled(finding.aliases()))
            .toList();
    return new ReviewSubject(
        new PresentEntries(log, modelId),
        open,
        settings.insight(),
        listing.origin().model(),
        listing.origin().guesses());
  }

  /** Indices of the entries that were written since the last review of a session. */
  public List<Integer> fresh(KbStore store, ReviewSubject subject) {
    return fresh(subject, store.sessions().read());
  }

  private static List<Integer> fresh(ReviewSubject subject, Optional<Review> last) {
    return SessionReview.fresh(
        subject.entries().all().stream().map(NamedEntry::key).toList(), last);
  }

  /**
   * A review for a person or an agent who waits. The language model is loaded where there is
   * something to ask it.
   *
   * @param progress of the question
   * @param keep whether the next review of a session begins where this one ends
   * @throws InterruptedException when interrupted; nothing is kept then
   */
  public Review onDemand(
      KbStore store,
      Wanted wanted,
      ReviewSubject subject,
      LanguageModelHost models,
      Function<TextModel, JudgeProgress> progress,
      Instant at,
      boolean keep)
      throws InterruptedException {
    return switch (wanted.kind()) {
      case DRIFT -> DriftReview.of(subject, at);
      case STALE -> StaleReview.of(subject, wanted.topic(), at);
      case SESSION -> {
        LanguageModelHost.Work<Review> work =
            model ->
                session(
                    store,
                    subject,
                    model,
                    model.map(progress).orElse(JudgeProgress.SILENT),
                    at,
                    Thread.currentThread()::isInterrupted,
                    keep);
        yield fresh(store, subject).isEmpty() || settings.llm().seconds() == 0
            ? work.with(Optional.empty())
            : models.use(work);
      }
    };
  }

  /**
   * A review of what was written since the last one.
   *
   * @param model is asked for a sentence; empty: none is there
   * @param keep whether the next review begins where this one ends; one of nothing is not kept
   * @throws CancellationException when cancelled before anything was asked
   * @throws InterruptedException when cancelled later
   */
  public Review session(
      KbStore store,
      ReviewSubject subject,
      Optional<TextModel> model,
      JudgeProgress progress,
      Instant at,
      BooleanSupplier cancelled,
      boolean keep)
      throws InterruptedException {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException();
    }
    Optional<Review> last = store.sessions().read();
    Review review;
    try (QuestionSession asking =
        model.isEmpty()
            ? null
            : JudgingStage.asking(
                store.answers(), settings, model.get(), System::nanoTime, progress, cancelled)) {
      review = SessionReview.of(subject, last, at, Optional.ofNullable(asking));
    }
    if (keep && !fresh(subject, last).isEmpty()) {
      store.sessions().keep(review);
    }
    return review;
  }
}
