package dev.helixbg.insight.judge;

import dev.helixbg.config.Progress;

/** Display for the progress of a run's questions. */
public interface JudgeProgress {
  JudgeProgress SILENT = (_, _) -> Progress.SILENT;

  /**
   * Begins to show the progress of a job. The steps of the result are questions whose answers were
   * saved.
   */
  Progress begin(QuestionKind job, int questions);
}
