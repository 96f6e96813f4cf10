package dev.helixbg.daemon.terminal;

import dev.helixbg.config.Progress;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows progress: at a terminal by a bar, elsewhere by a line at the start of a long step. */
public final class TerminalProgress {
  private static final int MANY = 512;

  private TerminalProgress() {}

  /** Returns a display: a bar at a terminal, and elsewhere one line if there are many items. */
  public static Progress.Display on(Console console) {
    return (what, things, work) -> {
      if (console.animated()) {
        return bar(console, what, things, work);
      }
      if (things >= MANY) {
        console.note("%s: %,d to do", what, things);
      }
      return Progress.SILENT;
    };
  }

  private static Progress bar(Console console, String what, long things, long work) {
    ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName(what)
            .setInitialMax(things)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(200)
            .showSpeed()
            .setConsumer(new ConsoleProgressBarConsumer(console.bars(), 80))
            .clearDisplayOnFinish()
            .build();
    return new Progress() {
      private long done;

      @Override
      public void step(long items, long part) {
        if (done == 0) {
          bar.reset(); // restarts the clock, so that the time of tokenizing is left out
        }
        done += part;
        bar.stepTo(Math.round((double) things * done / work));
      }

      @Override
      public void close() {
        bar.close();
      }
    };
  }
}
