package dev.helixbg.config;

/** Shows the progress of a long step. */
public interface Progress extends AutoCloseable {
  Progress SILENT = (_, _) -> {};

  /**
   * Reports that {@code items} more items, and {@code work} more work, are finished. The work has
   * the same unit as in {@link Display#begin}.
   */
  void step(long items, long work);

  @Override
  default void close() {}

  interface Display {
    Display SILENT = (what, things, work) -> Progress.SILENT;

    /**
     * @param things number of items
     * @param work work of all items, in any unit; the display estimates the remaining time from it
     */
    Progress begin(String what, long things, long work);

    default Progress begin(String what, long things) {
      return begin(what, things, things);
    }
  }
}
