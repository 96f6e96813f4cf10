package dev.helixbg.llm.softmetal;

/**
 * How the software Metal runs kernels.
 *
 * @param order in which threadgroups, simdgroups and lanes run; a right kernel gives the same in
 *     all of them
 * @param seed of {@link Order#SHUFFLED}
 * @param checks how closely accesses to memory are watched
 * @param lazy whether a command buffer runs only when somebody waits for it (a handler or a poll of
 *     its status: 5 ms later), so that what is read too early is stale, and what is written too
 *     early is found
 * @param maxThreads what new pipelines allow in a threadgroup, at most 1024: a Mac allows less to
 *     kernels with many registers
 * @param cores that share the threadgroups of a dispatch where checks are off; 0: all
 */
public record SoftMetalSettings(
    Order order, int seed, Checks checks, boolean lazy, int maxThreads, int cores) {
  public enum Order {
    FORWARD,
    BACKWARD,
    SHUFFLED
  }

  /** What is checked at every access. */
  public enum Checks {
    /** Nothing; several times faster. */
    OFF,
    /** Bounds, alignment, division by zero. */
    BOUNDS,
    /** Bounds, and reads of what nobody wrote, and races. */
    ALL
  }

  /** All checks, forward, eager. */
  public static final SoftMetalSettings STRICT =
      new SoftMetalSettings(Order.FORWARD, 1, Checks.ALL, false, 1024, 0);

  /**
   * No checks of memory: for long runs of kernels that have passed under {@link #STRICT}. On one
   * core: others have tests of their own to run, and would be waited for.
   */
  public static final SoftMetalSettings FAST = STRICT.checks(Checks.OFF).cores(1);

  /** These settings in another order. */
  public SoftMetalSettings order(Order newOrder, int newSeed) {
    return new SoftMetalSettings(newOrder, newSeed, checks, lazy, maxThreads, cores);
  }

  /** These settings with other checks. */
  public SoftMetalSettings checks(Checks newChecks) {
    return new SoftMetalSettings(order, seed, newChecks, lazy, maxThreads, cores);
  }

  /** These settings with lazy or eager completion. */
  public SoftMetalSettings lazy(boolean newLazy) {
    return new SoftMetalSettings(order, seed, checks, newLazy, maxThreads, cores);
  }

  /** These settings with another limit of threads in a threadgroup. */
  public SoftMetalSettings maxThreads(int newMaxThreads) {
    return new SoftMetalSettings(order, seed, checks, lazy, newMaxThreads, cores);
  }

  /** These settings with another number of cores. */
  public SoftMetalSettings cores(int newCores) {
    return new SoftMetalSettings(order, seed, checks, lazy, maxThreads, newCores);
  }
}
