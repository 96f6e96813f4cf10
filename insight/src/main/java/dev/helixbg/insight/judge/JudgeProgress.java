package dev.helixbg.insight.judge;

/** Is told how far a run is. */
public interface JudgeProgress {
  /** Tells nobody. */
  JudgeProgress SILENT =
      new JudgeProgress() {
        @Override
        public void begin(Job job, int questions) {}

        @Override
        public void answered(int questions) {}

        @Override
        public void end() {}
      };

  /** A job of which so many questions are to be asked. */
  void begin(Job job, int questions);

  /** So many more are answered and saved. */
  void answered(int questions);

  /** The job is over, or its time. */
  void end();
}
