package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.lessons.LessonTrial;
import java.util.Optional;

/** Measures a language model as a reader of lessons. */
public final class LessonTrialRun extends ModelTrial<LessonTrust> {
  private final EmbedderSource embedder;

  public LessonTrialRun(Settings settings, LanguageModelFile model, EmbedderSource embedder) {
    super(settings, model);
    this.embedder = embedder;
  }

  @Override
  Optional<LessonTrust> ask(QuestionSession asking, Database database) throws InterruptedException {
    return new LessonTrial(asking, new LessonVectors(database, embedder)).ask();
  }
}
