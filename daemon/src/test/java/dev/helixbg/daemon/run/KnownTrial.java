package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionKind;
import java.time.Duration;

/** A trial that is over, for tests in which a model has better things to do. */
public final class KnownTrial {
  private KnownTrial() {}

  /** As if the model of the settings had been measured, and had one answer to everything. */
  public static void of(Settings settings) throws Exception {
    new JudgeTrialRun(settings, LanguageModelFile.require(settings))
        .run(
            () -> (questions, cancelled) -> questions.stream().map(KnownTrial::answer).toList(),
            Duration.ofDays(1),
            System::nanoTime,
            JudgeProgress.SILENT,
            () -> false);
  }

  private static Answer answer(Question question) {
    boolean pair = question.job() == QuestionKind.PAIR;
    return new Answer(pair ? "related" : "valid", 0.9, pair ? "same" : "outdated", 0.1, false);
  }
}
