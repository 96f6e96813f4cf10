package dev.helixbg.daemon;

import java.util.Map;
import java.util.TreeMap;

/**
 * One way to break things for {@link Torture}: case after case, each made from its seed alone, so
 * that a seed shows again what it showed once.
 */
abstract class TortureArea implements AutoCloseable {
  /** How often each thing happened so far, for example a kill; cases are counted elsewhere. */
  final Map<String, Long> counts = new TreeMap<>();

  /**
   * Breaks something and looks at what is left.
   *
   * @throws Exception saying what is wrong with it
   */
  abstract void run(long seed) throws Exception;

  final void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  @Override
  public void close() throws Exception {}

  /** Ends a case with a finding unless something holds. */
  static void require(boolean holds, String format, Object... arguments) {
    if (!holds) {
      throw new IllegalStateException(format.formatted(arguments));
    }
  }
}
