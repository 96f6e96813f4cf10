package dev.helixbg.insight.judge;

/** Is told how far a run is. */
public interface JudgeProgress {
  /** Progress that reports nothing. */
  JudgeProgress SILENT = new JudgeProgress() {};

  /** Begins a job with this number of questions to ask. */
  default void begin(QuestionKind job, int questions) {}

  /** Reports how many more questions are answered and saved. */
  default void answered(int questions) {}

  /** The job is over, or its time. */
  default void end() {}
}
