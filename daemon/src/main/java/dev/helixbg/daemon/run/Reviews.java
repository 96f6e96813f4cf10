package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.review.DriftReview;
import dev.helixbg.insight.review.History;
import dev.helixbg.insight.review.KbEntries;
import dev.helixbg.insight.review.Oracle;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.SessionReview;
import dev.helixbg.insight.review.StaleReview;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/** Runs reviews of a KB on what its vectors know, and keeps them in its history. */
public final class Reviews {
  private final Settings settings;
  private final String modelId;

  /**
   * @param modelId of the embedding model
   */
  public Reviews(Settings settings, String modelId) {
    this.settings = settings;
    this.modelId = modelId;
  }

  /** Which review is wanted. */
  public record Wanted(Review.Kind kind, Optional<String> topic) {}

  /** The entries whose vectors are in the cache: all of them, once a run has ended. */
  public KbEntries load(Kb kb) {
    return KbEntries.read(
        kb.dataLog(), new EmbeddingCache(kb.folder()), modelId, settings.embed().maxTokens());
  }

  /** The newest review of a kind that looked at all topics. */
  public static Optional<Review> last(Kb kb, Review.Kind kind) {
    return latest(kb).stream().filter(review -> review.kind() == kind).findFirst();
  }

  /** The newest reviews that looked at all topics, one of a kind, in the order of the kinds. */
  public static List<Review> latest(Kb kb) {
    try {
      return List.copyOf(new History(kb.insights()).latest().values());
    } catch (IOException e) {
      throw new Failure(
          ExitCode.KB, "cannot read " + kb.insights().resolve(History.NAME) + ": " + Reasons.of(e));
    }
  }

  /**
   * Reviews, and appends the result to the history.
   *
   * @throws CancellationException when cancelled; nothing is written then
   * @throws Failure with {@link ExitCode#WRITE} when the history cannot be written, with {@link
   *     ExitCode#KB} when the KB has gone meanwhile
   */
  public Review run(
      Kb kb, Wanted wanted, Optional<Oracle> oracle, Instant at, BooleanSupplier cancelled) {
    KbIdentity here = KbIdentity.of(kb);
    KbEntries entries = load(kb);
    Optional<Review> last = last(kb, wanted.kind());
    if (cancelled.getAsBoolean()) {
      throw new CancellationException();
    }
    Review review =
        switch (wanted.kind()) {
          case SESSION ->
              SessionReview.of(entries, last, settings.insight(), oracle, at, cancelled);
          case DRIFT ->
              DriftReview.of(
                  entries, last, settings.insight(), settings.threads(), oracle, at, cancelled);
          case STALE ->
              StaleReview.of(
                  entries,
                  wanted.topic(),
                  settings.insight(),
                  settings.threads(),
                  oracle,
                  at,
                  cancelled);
        };
    here.check();
    try {
      new History(kb.insights()).append(review);
      return review;
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE,
          "cannot write " + kb.insights().resolve(History.NAME) + ": " + Reasons.of(e));
    }
  }
}
