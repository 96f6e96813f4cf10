package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.RecommendedModel;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionSession;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures a language model as a judge, once: what it said of the pairs whose truth is known is
 * kept in the cache folder, as answers about a KB are in the KB.
 */
public record JudgeTrialRun(Settings settings, LanguageModelFile model) {
  /** In the cache folder. */
  public static final String FILE = "judge-trial.jsonl";

  /** What came of it, if it was finished; asks nothing. */
  public Optional<JudgeTrust> known() {
    Supplier<QuestionAnswerer> nobody =
        () -> {
          throw new IllegalStateException("asked without time");
        };
    try {
      return run(nobody, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
    } catch (IOException e) {
      return Optional.empty(); // a cache that cannot be read is one that knows nothing
    } catch (InterruptedException e) {
      throw new IllegalStateException("nothing was asked", e);
    }
  }

  /**
   * Asks what is not remembered.
   *
   * @return empty when the time was too short; the next run goes on
   * @throws IOException when answers cannot be read or kept
   */
  public Optional<JudgeTrust> run(
      Supplier<? extends QuestionAnswerer> opener,
      Duration time,
      LongSupplier nanoTime,
      JudgeProgress progress,
      BooleanSupplier cancelled)
      throws InterruptedException, IOException {
    boolean asks = !time.isZero();
    if (asks) {
      Files.createDirectories(settings.cache());
    }
    try (QuestionSession asking =
        new QuestionSession(
            new AnswerFile(settings.cache().resolve(FILE), asks),
            model.hash(settings),
            settings.llm().entryTokens(),
            opener,
            time,
            nanoTime,
            progress,
            cancelled)) {
      Optional<JudgeTrust> trust = new JudgeTrial(asking).ask();
      boolean guesses = trust.filter(JudgeTrust::isGuessing).isPresent();
      return guesses
          ? Optional.of(trust.get().advising(RecommendedModel.here(Files.size(model.file()))))
          : trust;
    }
  }
}
