package dev.helixbg.insight.judge;

import dev.helixbg.config.Progress;

/** Display for the progress of a run's questions. */
public interface JudgeProgress {
  JudgeProgress SILENT = (_, _) -> Progress.SILENT;

  /** Begins a job; each step of the progress is a number of questions answered and saved. */
  Progress begin(QuestionKind job, int questions);
}
