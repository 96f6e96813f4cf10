package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelFile;
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
 * Questions whose truth is known, by which a language model is measured once. Its answers are kept
 * in {@value #FILE} in the state folder.
 *
 * @param <T> says how far the model can be trusted
 */
public record ModelTrial<T>(Settings settings, LanguageModelFile model, Questions<T> questions) {
  public static final String FILE = "models.db";

  /** The tables of that file. */
  public static final Database.Schema SCHEMA =
      new Database.Schema(2, List.of(AnswerStore.TABLE, VectorStore.TABLE));

  /** Asks what is not remembered. */
  private interface Questions<T> {
    /**
     * @param database with the answers
     * @return empty while something is not answered
     */
    Optional<T> ask(QuestionSession asking, Database database)
        throws InterruptedException, IOException;
  }

  /** Measures the model as a judge of pairs. */
  public static ModelTrial<JudgeTrust> ofJudge(Settings settings, LanguageModelFile model) {
    return new ModelTrial<>(settings, model, (asking, _) -> new JudgeTrial(asking).ask());
  }

  /**
   * Measures the model as a reader of lessons.
   *
   * @param embedder by which lessons are compared
   */
  public static ModelTrial<LessonTrust> ofReader(
      Settings settings, LanguageModelFile model, EmbedderSource embedder) {
    return new ModelTrial<>(
        settings,
        model,
        (asking, database) -> new LessonTrial(asking, new LessonVectors(database, embedder)).ask());
  }

  /**
   * The result of a finished trial; asks nothing.
   *
   * @throws CancellationException when interrupted
   */
  public Optional<T> known() {
    if (!Files.exists(settings.state().resolve(FILE))) {
      return Optional.empty();
    }
    Supplier<QuestionAnswerer> closed =
        () -> {
          throw new IllegalStateException("asked without time");
        };
    try {
      return run(closed, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
    } catch (IOException | StoreException e) {
      return Optional.empty(); // without what is known, the model counts as unmeasured
    } catch (InterruptedException e) {
      throw (CancellationException) new CancellationException().initCause(e);
    }
  }

  /**
   * Asks what is not remembered.
   *
   * @return empty when the time was too short; the next run goes on
   * @throws IOException when answers cannot be read or kept
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
