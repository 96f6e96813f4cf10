package dev.helixbg.insight.judge;

import dev.helixbg.config.Progress;

/** Display for the progress of a run's questions. */
public interface JudgeProgress {
  JudgeProgress SILENT = (_, _) -> Progress.SILENT;

  /**
   * Begins to show a job. A step of the progress is a number of questions that were answered and
   * saved.
   */
  Progress begin(QuestionKind job, int questions);
}
