package dev.helixbg.daemon;

import java.util.Map;

/**
 * One way to break things for {@link Torture}: case after case, each made from its seed alone, so
 * that a seed shows again what it showed once.
 */
interface TortureArea extends AutoCloseable {
  /**
   * Breaks something and looks at what is left.
   *
   * @throws Exception saying what is wrong with it
   */
  void run(long seed) throws Exception;

  /** What was done so far, beside cases, such as kills. */
  Map<String, Long> counts();

  @Override
  default void close() throws Exception {}

  /** Ends a case with a finding unless something holds. */
  static void require(boolean holds, String format, Object... arguments) {
    if (!holds) {
      throw new IllegalStateException(format.formatted(arguments));
    }
  }
}
