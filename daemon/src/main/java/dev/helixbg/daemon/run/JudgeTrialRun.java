package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.RecommendedModel;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionSession;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures a language model as a judge, once: its answers to the pairs whose truth is known are
 * kept in {@value #FILE} in the state folder.
 */
public record JudgeTrialRun(Settings settings, LanguageModelFile model) {
  public static final String FILE = "models.db";

  /** The tables of that file; {@link LessonTrialRun} uses it, too. */
  public static final Database.Schema SCHEMA =
      new Database.Schema(2, List.of(AnswerStore.TABLE, VectorStore.TABLE));

  /** The result of a finished trial; asks nothing. */
  public Optional<JudgeTrust> known() {
    Supplier<QuestionAnswerer> nobody =
        () -> {
          throw new IllegalStateException("asked without time");
        };
    if (!Files.exists(settings.state().resolve(FILE))) {
      return Optional.empty();
    }
    try {
      return run(nobody, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
    } catch (IOException | StoreException e) {
      return Optional.empty(); // without what is known, the model counts as unmeasured
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
    PrivateFiles.makeSecretFolder(settings.state());
    Database.prepare(settings.cache());
    try (Database database = new Database(settings.state().resolve(FILE), SCHEMA, warning -> {});
        QuestionSession asking =
            new QuestionSession(
                new AnswerStore(database),
                model.hash(settings),
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
