package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.lessons.LessonTrial;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures a language model as a reader of lessons, once: its answers are kept where those of
 * {@link JudgeTrialRun} are.
 */
public record LessonTrialRun(Settings settings, LanguageModelFile model, EmbedderSource embedder) {

  /** The result of a finished trial; asks nothing. */
  public Optional<LessonTrust> known() throws InterruptedException {
    Supplier<QuestionAnswerer> nobody =
        () -> {
          throw new IllegalStateException("asked without time");
        };
    if (!Files.exists(settings.state().resolve(JudgeTrialRun.FILE))) {
      return Optional.empty();
    }
    try {
      return run(nobody, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
    } catch (IOException | StoreException e) {
      return Optional.empty(); // without what is known, the model counts as unmeasured
    }
  }

  /**
   * Asks what is not remembered.
   *
   * @return empty when the time was too short; the next run goes on
   * @throws IOException when answers cannot be read or kept
   * @see JudgeTrialRun#run
   */
  public Optional<LessonTrust> run(
      Supplier<? extends QuestionAnswerer> opener,
      Duration time,
      LongSupplier nanoTime,
      JudgeProgress progress,
      BooleanSupplier cancelled)
      throws InterruptedException, IOException {
    PrivateFiles.makeSecretFolder(settings.state());
    Database.prepare(settings.cache());
    try (Database database =
            new Database(
                settings.state().resolve(JudgeTrialRun.FILE), JudgeTrialRun.SCHEMA, warning -> {});
        QuestionSession asking =
            new QuestionSession(
                new AnswerStore(database),
                model.hash(settings),
                opener,
                time,
                nanoTime,
                progress,
                cancelled)) {
      return new LessonTrial(asking, new LessonVectors(database, embedder)).ask();
    }
  }
}
