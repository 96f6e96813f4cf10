package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.lessons.LessonTrial;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A trial of a language model: questions with known answers measure once how reliable it is. Its
 * answers are stored in {@value #FILE} in the state folder.
 */
public record ModelTrial<T>(Settings settings, LanguageModelFile model, Questions<T> questions) {
  public static final String FILE = "models.db";

  public static final Database.Schema SCHEMA =
      new Database.Schema(2, List.of(AnswerStore.TABLE, VectorStore.TABLE));

  private interface Questions<T> {
    /** Returns the result of the trial; empty while a question has no stored answer. */
    Optional<T> ask(QuestionSession asking, Database database)
        throws InterruptedException, IOException;
  }

  /** Returns the trial that measures the model as a judge of pairs. */
  public static ModelTrial<JudgeTrust> ofJudge(Settings settings, LanguageModelFile model) {
    return new ModelTrial<>(settings, model, (asking, _) -> new JudgeTrial(asking).ask());
  }

  /** Returns the trial of how well the model writes lessons, which {@code embedder} embeds. */
  public static ModelTrial<LessonTrust> ofReader(
      Settings settings, LanguageModelFile model, EmbedderSource embedder) {
    return new ModelTrial<>(
        settings,
        model,
        (asking, database) ->
            new LessonTrial(asking, TextVectors.ofLessons(database, embedder)).ask());
  }

  /**
   * Returns the result from the stored answers alone; throws a {@link CancellationException} when
   * interrupted.
   */
  public Optional<T> known() {
    if (!Files.exists(settings.state().resolve(FILE))) {
      return Optional.empty();
    }
    try {
      // without time, the session asks nothing and opens no model
      return run(() -> null, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
    } catch (IOException | StoreException e) {
      return Optional.empty(); // without stored answers the model is treated as unmeasured
    } catch (InterruptedException e) {
      throw (CancellationException) new CancellationException().initCause(e);
    }
  }

  /**
   * Asks the questions that have no stored answer. Empty if the time was too short; the next run
   * continues.
   */
  public Optional<T> run(
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
      return questions.ask(asking, database);
    }
  }
}
