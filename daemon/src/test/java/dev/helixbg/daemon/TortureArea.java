package dev.helixbg.daemon;

import java.util.Map;
import java.util.TreeMap;

/**
 * One way to break the program for {@link Torture}. Each case depends only on its seed, so the same
 * seed repeats a failure.
 */
abstract class TortureArea implements AutoCloseable {
  /** Counts of events so far, such as kills, by name. Cases are counted elsewhere. */
  final Map<String, Long> counts = new TreeMap<>();

  /**
   * Breaks something, and checks the result.
   *
   * @throws Exception that describes the failure
   */
  abstract void run(long seed) throws Exception;

  final void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  @Override
  public void close() throws Exception {}

  /** Fails the case unless the condition {@code holds}. */
  static void require(boolean holds, String format, Object... arguments) {
    if (!holds) {
      throw new IllegalStateException(format.formatted(arguments));
    }
  }
}
