package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeProgress;
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
 * Questions whose truth is known, by which a language model is measured once. Its answers are kept
 * in {@value #FILE} in the state folder.
 *
 * @param <T> says how far the model can be trusted
 */
public abstract class ModelTrial<T> {
  public static final String FILE = "models.db";

  /** The tables of that file. */
  public static final Database.Schema SCHEMA =
      new Database.Schema(2, List.of(AnswerStore.TABLE, VectorStore.TABLE));

  private final Settings settings;
  private final LanguageModelFile model;

  ModelTrial(Settings settings, LanguageModelFile model) {
    this.settings = settings;
    this.model = model;
  }

  /**
   * Asks what is not remembered.
   *
   * @param database with the answers
   * @return empty while something is not answered
   */
  abstract Optional<T> ask(QuestionSession asking, Database database)
      throws InterruptedException, IOException;

  /** The result of a finished trial; asks nothing. */
  public Optional<T> known() throws InterruptedException {
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
    }
  }

  /**
   * Asks what is not remembered.
   *
   * @return empty when the time was too short; the next run goes on
   * @throws IOException when answers cannot be read or kept
   */
  public final Optional<T> run(
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
      return ask(asking, database);
    }
  }
}
