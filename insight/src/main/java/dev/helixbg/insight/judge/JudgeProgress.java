package dev.helixbg.insight.judge;

/** Receives the progress of a run. */
public interface JudgeProgress {
  JudgeProgress SILENT = new JudgeProgress() {};

  default void begin(QuestionKind job, int questions) {}

  /** Reports that some more questions are answered and saved. */
  default void answered(int questions) {}

  /** Ends the job, or its time. */
  default void end() {}
}
