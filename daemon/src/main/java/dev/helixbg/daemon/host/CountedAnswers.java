package dev.helixbg.daemon.host;

import dev.helixbg.insight.judge.Job;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.backend.Counters.Counter;

/** Counts what a model answers as a judge, and the tokens that it takes. */
final class CountedAnswers implements JudgeProgress {
  private final TextModel model;
  private final DaemonMetrics metrics;
  private long rows;

  CountedAnswers(TextModel model, DaemonMetrics metrics) {
    this.model = model;
    this.metrics = metrics;
    rows = rows();
  }

  private long rows() {
    return model.backend().counters().get(Counter.ROWS);
  }

  @Override
  public void begin(Job job, int questions) {}

  @Override
  public void answered(int questions) {
    metrics.answers.add(questions);
    countTokens();
  }

  @Override
  public void end() {
    countTokens();
  }

  /** A token is a row of a pass; a few rows that only fill up a small pass count, too. */
  private void countTokens() {
    long now = rows();
    metrics.modelTokens.add(now - rows);
    rows = now;
  }
}
