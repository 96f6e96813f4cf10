package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionSession;
import java.io.IOException;
import java.util.Optional;

/** Measures a language model as a judge, by pairs whose truth is known. */
public final class JudgeTrialRun extends ModelTrial<JudgeTrust> {
  public JudgeTrialRun(Settings settings, LanguageModelFile model) {
    super(settings, model);
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
    return new JudgeTrial(asking).ask();
  }
}
