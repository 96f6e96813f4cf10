package dev.helixbg.config;

/** Shows the progress of a long task. */
public interface Progress extends AutoCloseable {
  Progress SILENT = (_, _) -> {};

  /**
   * Reports finished items.
   *
   * @param items number of items that were finished since the last call
   * @param work work for these items, in the unit of the parameter {@code work} of {@link
   *     Display#begin}
   */
  void step(long items, long work);

  @Override
  default void close() {}

  interface Display {
    Display SILENT = (what, things, work) -> Progress.SILENT;

    /**
     * @param things number of items to process
     * @param work total work for these items, in any unit; the display uses it to estimate the
     *     remaining time
     */
    Progress begin(String what, long things, long work);

    default Progress begin(String what, long things) {
      return begin(what, things, things);
    }
  }
}
