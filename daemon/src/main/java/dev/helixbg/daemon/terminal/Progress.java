package dev.helixbg.daemon.terminal;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how far a long step is: a bar at a terminal, elsewhere a line when it begins. */
public interface Progress extends AutoCloseable {
  /** Fewest things for which a line is printed. */
  int MANY = 512;

  /** Counts one thing, where all cost the same. */
  default void step() {
    step(1);
  }

  /** Counts one thing that is this much of the work. */
  void step(long work);

  @Override
  default void close() {}

  /** Begins to show one step of known length. */
  interface Display {
    Display SILENT = (what, things, work) -> Progress.SILENT;

    /**
     * @param things that are to be done
     * @param work of all things, in any unit, by which the time left is estimated
     */
    Progress begin(String what, long things, long work);

    /** Begins a step of things that all cost the same. */
    default Progress begin(String what, long things) {
      return begin(what, things, things);
    }
  }

  /** On the console's stderr: a bar at a terminal, else a line at the start of what takes long. */
  static Display on(Console console) {
    return (what, things, work) -> {
      if (console.animated()) {
        return bar(console, what, things, work);
      }
      if (things >= MANY) {
        console.note("%s: %,d to do", what, things);
      }
      return SILENT;
    };
  }

  Progress SILENT = work -> {};

  /** A bar that moves with the work done, so that it estimates the time left by it. */
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
      public void step(long part) {
        if (done == 0) {
          bar.reset(); // of the clock: texts become tokens before the first of the work
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
