package dev.helixbg.insight.judge;

/** Receives the progress of a run. */
public interface JudgeProgress {
  JudgeProgress SILENT = new JudgeProgress() {};

  default void begin(QuestionKind job, int questions) {}

  /** Reports a number of questions that have just been answered and saved. */
  default void answered(int questions) {}

  /** Reports that the job has ended, or that its time is over. */
  default void end() {}
}
