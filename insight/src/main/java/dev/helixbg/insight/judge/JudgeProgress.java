package dev.helixbg.insight.judge;

import dev.helixbg.config.Progress;

/** Display for the progress of a run's questions. */
public interface JudgeProgress {
  JudgeProgress SILENT = (_, _) -> Progress.SILENT;

  /** Begins to show the progress of a job, whose steps are answered and saved questions. */
  Progress begin(QuestionKind job, int questions);
}
