package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionAnswerer;
import java.time.Duration;

/** Stores the results of a model's trials, for tests that do not measure the model. */
public final class KnownTrial {
  private KnownTrial() {}

  /**
   * Stores trials in which the model of the settings gave one answer to all questions of a kind.
   */
  public static void of(Settings settings) throws Exception {
    LanguageModelFile model = LanguageModelFile.locate(settings).orElseThrow();
    QuestionAnswerer always =
        (questions, cancelled) -> questions.stream().map(KnownTrial::answer).toList();
    ModelTrial.ofJudge(settings, model)
        .run(() -> always, Duration.ofDays(1), System::nanoTime, JudgeProgress.SILENT, () -> false);
    ModelTrial.ofReader(settings, model, new FakeModel())
        .run(() -> always, Duration.ofDays(1), System::nanoTime, JudgeProgress.SILENT, () -> false);
  }

  private static Answer answer(Question question) {
    return switch (question.job()) {
      case PAIR -> new Answer("related", 0.9, "same", 0.1, false);
      case LESSON -> new Answer("-", 1, "", 0, false);
      case RULE -> new Answer("same", 0.9, "different", 0.1, false);
      default -> new Answer("valid", 0.9, "outdated", 0.1, false);
    };
  }
}
