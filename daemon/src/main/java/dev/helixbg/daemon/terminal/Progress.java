package dev.helixbg.daemon.terminal;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a long step: with a bar at a terminal, else with a line at the start. */
public interface Progress extends AutoCloseable {
  /** Minimum number of items for which a line is printed. */
  int MANY = 512;

  /** Counts one item of a step whose items all take the same work. */
  default void step() {
    step(1);
  }

  /** Counts one item; {@code work} is its work in the unit of {@link Display#begin}. */
  void step(long work);

  @Override
  default void close() {}

  interface Display {
    Display SILENT = (what, things, work) -> Progress.SILENT;

    /**
     * @param things number of items
     * @param work work of all items, in any unit; the remaining time is estimated from it
     */
    Progress begin(String what, long things, long work);

    /** Begins a step whose items all take the same work. */
    default Progress begin(String what, long things) {
      return begin(what, things, things);
    }
  }

  /** Returns a display on stderr: a bar at a terminal, else a line if there are many items. */
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

  /** Returns a bar that advances by work, not by items, so that its estimate of time is right. */
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
          bar.reset(); // restarts the clock, which then omits the time of tokenizing
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
