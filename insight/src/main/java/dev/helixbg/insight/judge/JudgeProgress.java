package dev.helixbg.insight.judge;

/** Is told how far a run is. */
public interface JudgeProgress {
  /** Tells nobody. */
  JudgeProgress SILENT = new JudgeProgress() {};

  /** A job of which so many questions are to be asked. */
  default void begin(QuestionKind job, int questions) {}

  /** So many more are answered and saved. */
  default void answered(int questions) {}

  /** The job is over, or its time. */
  default void end() {}
}
