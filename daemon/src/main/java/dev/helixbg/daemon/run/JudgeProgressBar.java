package dev.helixbg.daemon.run;

import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.QuestionKind;
import java.util.Optional;

/** Shows the jobs of a language model as progress bars, one after the other. */
final class JudgeProgressBar implements JudgeProgress {
  private final Progress.Display display;
  private final Optional<String> title;
  private Progress bar = Progress.SILENT;

  /**
   * @param title title of all bars; if empty, each job has its own title
   */
  JudgeProgressBar(Progress.Display display, Optional<String> title) {
    this.display = display;
    this.title = title;
  }

  @Override
  public void begin(QuestionKind job, int questions) {
    bar = display.begin(title.orElse(title(job)), questions);
  }

  @Override
  public void answered(int questions) {
    for (int i = 0; i < questions; i++) {
      bar.step();
    }
  }

  @Override
  public void end() {
    bar.close();
  }

  private static String title(QuestionKind job) {
    return switch (job) {
      case LABEL -> "Labelling";
      case PAIR, OVERTAKEN -> "Comparing";
      case SUMMARY -> "Summarising";
      case MERGE -> "Merging";
      case LESSON -> "Writing lessons";
      case RULE -> "Comparing lessons";
    };
  }
}
