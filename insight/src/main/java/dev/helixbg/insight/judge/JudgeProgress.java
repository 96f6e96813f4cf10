package dev.helixbg.insight.judge;

/** Receives the progress of a run. */
public interface JudgeProgress {
  JudgeProgress SILENT = new JudgeProgress() {};

  /**
   * Begins a job.
   *
   * @param questions number of questions to ask
   */
  default void begin(QuestionKind job, int questions) {}

  /**
   * Reports that more questions are answered and saved.
   *
   * @param questions number of new answers
   */
  default void answered(int questions) {}

  /** Ends the job, or its time. */
  default void end() {}
}
