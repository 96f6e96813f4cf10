package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.JunkCheck;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.review.DriftReview;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.ReviewHistory;
import dev.helixbg.insight.review.ReviewSubject;
import dev.helixbg.insight.review.SessionReview;
import dev.helixbg.insight.review.StaleReview;
import dev.helixbg.llm.TextModel;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Runs reviews of a KB on what its vectors know, and keeps them in its history.
 *
 * @param ids of the embedding model's vectors
 */
public record Reviews(Settings settings, VectorIds ids) {
  public record Wanted(Review.Kind kind, Optional<String> topic) {}

  /** Of the entries whose vectors are in the cache: all of them, once a run has ended. */
  public ReviewSubject subject(Kb kb) {
    return subject(kb, known(kb));
  }

  /** The entries whose vectors are in the cache. */
  public KbEntries known(Kb kb) {
    return KbEntries.read(
        kb.dataLog(), new EmbeddingCache(kb.folder()), ids, settings.embed().maxTokens());
  }

  /** Of these entries of that KB. */
  public ReviewSubject subject(Kb kb, KbEntries known) {
    Decisions decisions = Pipeline.decisions(kb);
    Findings all =
        Analysis.run(
            known.named(),
            known.vectors(),
            known.passages(),
            decisions.widened(settings.insight()),
            settings.threads());
    Findings open = decisions.applyTo(all, settings.insight());
    return new ReviewSubject(
        ReviewSubject.Found.of(open), known.vectors()::row, known.log().sha256(), Optional.empty());
  }

  /** What a report was made from. */
  public static ReviewSubject subject(Pipeline.Outcome of) {
    return new ReviewSubject(
        ReviewSubject.Found.of(of.report().findings()),
        of.vectors().vectors()::get,
        of.report().log().sha256(),
        Optional.empty());
  }

  /** The newest review of a kind that looked at all topics. */
  public static Optional<Review> last(Kb kb, Review.Kind kind) {
    return latest(kb).stream().filter(review -> review.kind() == kind).findFirst();
  }

  /** The newest reviews that looked at all topics, one of a kind, in the order of the kinds. */
  public static List<Review> latest(Kb kb) {
    try {
      return List.copyOf(new ReviewHistory(kb.insights()).latest().values());
    } catch (IOException e) {
      throw Failure.io(ExitCode.KB, "read " + kb.insights().resolve(ReviewHistory.NAME), e);
    }
  }

  /** What the last report has found. */
  @FunctionalInterface
  public interface Reported {
    /**
     * @param live entries of that log, as a report shows them
     * @return empty where it was not made from all that is there now
     */
    Optional<ReviewSubject.Found> found(LogReading log, List<NamedEntry> live);
  }

  /**
   * A review for which the log is all that it takes, or the last report: nothing is compared, and
   * no language model is there to be asked, or there is nothing to ask it. One of nothing is not
   * kept: the last one says more.
   *
   * @param log of that KB, just read
   * @return empty where it takes more
   * @see #run for the other parameters and errors
   */
  public Optional<Review> ofReport(
      KbIdentity kb, Wanted wanted, LogReading log, Reported report, Instant at, boolean keep)
      throws InterruptedException {
    List<NamedEntry> live =
        JunkCheck.shown(
            NamedEntry.all(
                log.entries(), entry -> TextKey.of(ids.name(), entry.embeddedText()).hex()),
            settings.insight());
    Optional<Review> last = last(kb.kb(), wanted.kind());
    boolean isOfNothing =
        switch (wanted.kind()) {
          case SESSION ->
              SessionReview.fresh(live.stream().map(NamedEntry::key).toList(), last).isEmpty();
          case DRIFT -> live.stream().map(named -> named.entry().topic()).distinct().count() < 2;
          case STALE -> live.size() < 2;
        };
    Optional<ReviewSubject.Found> found =
        isOfNothing
            ? Optional.of(ReviewSubject.Found.nothing(settings.insight()))
            : report.found(log, live);
    if (found.isEmpty()
        || mayBeJudged(wanted, found.get()) && LanguageModelFile.locate(settings).isPresent()) {
      return Optional.empty();
    }
    ReviewSubject subject =
        new ReviewSubject(
            found.get(),
            entry -> {
              throw new IllegalStateException("vectors are for a judge");
            },
            log.account().sha256(),
            Optional.empty());
    try {
      Review review = of(subject, wanted, last, at);
      boolean isFresh = wanted.kind() != Review.Kind.SESSION || !isOfNothing;
      return Optional.of(keep && isFresh && says(wanted, review, last) ? kept(kb, review) : review);
    } catch (IOException e) {
      throw new IllegalStateException("nobody is asked", e);
    }
  }

  /** Whether there is something that a language model would be asked about. */
  private static boolean mayBeJudged(Wanted wanted, ReviewSubject.Found found) {
    return wanted.kind() == Review.Kind.DRIFT
        ? !found.topicOverlaps().isEmpty()
        : found.relations().stream().anyMatch(pair -> pair.isIn(wanted.topic()));
  }

  /**
   * Reviews for somebody who waits; the language model is loaded where there is something to judge.
   *
   * @param progress of the questions to it
   * @param keep whether the history is to have it, by which the next session begins
   * @see #run for the other parameters and errors
   */
  public Review onDemand(
      KbIdentity kb,
      Wanted wanted,
      ReviewSubject subject,
      LanguageModelHost models,
      Function<TextModel, JudgeProgress> progress,
      Instant at,
      boolean keep)
      throws InterruptedException {
    LanguageModelHost.Work<Review> work =
        model -> {
          Optional<Review> last = last(kb.kb(), wanted.kind());
          Review review =
              reviewed(
                  kb,
                  wanted,
                  subject,
                  model,
                  last,
                  model.map(progress).orElse(JudgeProgress.SILENT),
                  at,
                  Thread.currentThread()::isInterrupted);
          return keep && says(wanted, review, last) ? kept(kb, review) : review;
        };
    return mayBeJudged(wanted, subject.found()) ? models.use(work) : work.with(Optional.empty());
  }

  /**
   * Reviews, and appends the result to the history, if it is to be kept.
   *
   * @param subject of that KB
   * @param model is asked as the judge of the report is: answers are kept in the KB as they come
   * @param progress of the questions
   * @throws CancellationException when cancelled before anything was asked; nothing is written then
   * @throws InterruptedException when cancelled later; the answers until then are saved
   * @throws Failure with {@link ExitCode#WRITE} when the history or answers cannot be written, with
   *     {@link ExitCode#KB} when the KB has gone meanwhile
   */
  public Review run(
      KbIdentity kb,
      Wanted wanted,
      ReviewSubject subject,
      Optional<TextModel> model,
      JudgeProgress progress,
      Instant at,
      BooleanSupplier cancelled,
      boolean keep)
      throws InterruptedException {
    Optional<Review> last = last(kb.kb(), wanted.kind());
    Review review = reviewed(kb, wanted, subject, model, last, progress, at, cancelled);
    return keep ? kept(kb, review) : review;
  }

  /**
   * @param last of its kind
   */
  private Review reviewed(
      KbIdentity kb,
      Wanted wanted,
      ReviewSubject subject,
      Optional<TextModel> model,
      Optional<Review> last,
      JudgeProgress progress,
      Instant at,
      BooleanSupplier cancelled)
      throws InterruptedException {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException();
    }
    try (QuestionSession asking =
        model.isEmpty()
            ? null
            : JudgingStage.asking(
                kb, settings, model.get(), System::nanoTime, progress, cancelled)) {
      ReviewSubject judged =
          asking == null
              ? subject
              : subject.before(new ReviewSubject.Judge(model.get().name(), asking, isGuessing()));
      return of(judged, wanted, last, at);
    } catch (IOException e) {
      throw JudgingStage.cannotSave(kb.kb(), e);
    }
  }

  /** Something, or that nothing is left of what the last one said. */
  private static boolean says(Wanted wanted, Review review, Optional<Review> last) {
    return wanted.kind() == Review.Kind.SESSION
        || !review.items().isEmpty()
        || wanted.topic().isEmpty() && last.filter(before -> !before.items().isEmpty()).isPresent();
  }

  private static Review kept(KbIdentity kb, Review review) {
    kb.check();
    ReviewHistory history = new ReviewHistory(kb.kb().insights());
    try {
      history.append(review);
      return review;
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE, "write " + kb.kb().insights().resolve(ReviewHistory.NAME), e);
    }
  }

  private static Review of(ReviewSubject subject, Wanted wanted, Optional<Review> last, Instant at)
      throws InterruptedException, IOException {
    return switch (wanted.kind()) {
      case SESSION -> SessionReview.of(subject, last, at);
      case DRIFT -> DriftReview.of(subject, last, at);
      case STALE -> StaleReview.of(subject, wanted.topic(), at);
    };
  }

  private boolean isGuessing() {
    LanguageModelFile file = LanguageModelFile.require(settings);
    return new JudgeTrialRun(settings, file).known().filter(JudgeTrust::isGuessing).isPresent();
  }
}
