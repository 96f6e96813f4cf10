package dev.helixbg.daemon.terminal;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how far a long step is: a bar at a terminal, nothing elsewhere. */
public interface Progress extends AutoCloseable {
  void step();

  @Override
  default void close() {}

  /** Begins to show one step of known length. */
  interface Display {
    Display SILENT = (what, total) -> Progress.SILENT;

    Progress begin(String what, long total);
  }

  /** On the console's stderr when that is a terminal, else nowhere. */
  static Display on(Console console) {
    return console.animated() ? (what, total) -> bar(console, what, total) : Display.SILENT;
  }

  Progress SILENT = () -> {};

  private static Progress bar(Console console, String what, long total) {
    ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName(what)
            .setInitialMax(total)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(200)
            .showSpeed()
            .setConsumer(new ConsoleProgressBarConsumer(console.bars(), 80))
            .clearDisplayOnFinish()
            .build();
    return new Progress() {
      @Override
      public void step() {
        bar.step();
      }

      @Override
      public void close() {
        bar.close();
      }
    };
  }
}
