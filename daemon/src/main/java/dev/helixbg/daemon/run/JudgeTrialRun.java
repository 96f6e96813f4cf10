package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.RecommendedModel;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionSession;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** Measures a language model as a judge, by pairs whose truth is known. */
public final class JudgeTrialRun extends ModelTrial<JudgeTrust> {
  private final LanguageModelFile model;

  public JudgeTrialRun(Settings settings, LanguageModelFile model) {
    super(settings, model);
    this.model = model;
  }

  @Override
  public Optional<JudgeTrust> known() {
    try {
      return super.known();
    } catch (InterruptedException e) {
      throw new IllegalStateException("nothing was asked", e);
    }
  }

  @Override
  Optional<JudgeTrust> ask(QuestionSession asking, Database database)
      throws InterruptedException, IOException {
    Optional<JudgeTrust> trust = new JudgeTrial(asking).ask();
    boolean guesses = trust.filter(JudgeTrust::isGuessing).isPresent();
    return guesses
        ? Optional.of(trust.get().advising(RecommendedModel.here(Files.size(model.file()))))
        : trust;
  }
}
