package dev.helixbg.llm.softmetal;

/**
 * How the software Metal runs kernels.
 *
 * @param order order in which threadgroups, simdgroups and lanes run; a correct kernel gives the
 *     same results in any order
 * @param seed seed for {@link Order#SHUFFLED}
 * @param checks which accesses to memory are checked
 * @param lazy whether a command buffer runs only when the host waits for it (5 ms later if the host
 *     has a handler or polls the status). The host then reads old values if it reads too early, and
 *     a too early write is detected.
 * @param maxThreads maximum number of threads in a threadgroup for new pipelines, at most 1024; a
 *     Mac allows fewer threads for kernels with many registers
 * @param cores number of cores that run the threadgroups of a dispatch if checks are off; 0 for all
 *     cores
 */
public record SoftMetalSettings(
    Order order, int seed, Checks checks, boolean lazy, int maxThreads, int cores) {
  public enum Order {
    FORWARD,
    BACKWARD,
    SHUFFLED
  }

  /** Checks of every access to memory. */
  public enum Checks {
    /** No checks; several times faster. */
    OFF,
    /** Checks of bounds, alignment and division by zero. */
    BOUNDS,
    /** Checks as in {@link #BOUNDS}, and of races and reads of unwritten memory. */
    ALL
  }

  /** All checks, threads in forward order, and command buffers that run at once. */
  public static final SoftMetalSettings STRICT =
      new SoftMetalSettings(Order.FORWARD, 1, Checks.ALL, false, 1024, 0);

  /**
   * No checks of memory, for long runs of kernels that passed with {@link #STRICT}. Kernels run on
   * one core, because other tests run on the other cores.
   */
  public static final SoftMetalSettings FAST = STRICT.checks(Checks.OFF).cores(1);

  /** Returns these settings with another order. */
  public SoftMetalSettings order(Order newOrder, int newSeed) {
    return new SoftMetalSettings(newOrder, newSeed, checks, lazy, maxThreads, cores);
  }

  /** Returns these settings with other checks. */
  public SoftMetalSettings checks(Checks newChecks) {
    return new SoftMetalSettings(order, seed, newChecks, lazy, maxThreads, cores);
  }

  /** Returns these settings with {@code lazy} changed. */
  public SoftMetalSettings lazy(boolean newLazy) {
    return new SoftMetalSettings(order, seed, checks, newLazy, maxThreads, cores);
  }

  /** Returns these settings with another maximum number of threads in a threadgroup. */
  public SoftMetalSettings maxThreads(int newMaxThreads) {
    return new SoftMetalSettings(order, seed, checks, lazy, newMaxThreads, cores);
  }

  /** Returns these settings with another number of cores. */
  public SoftMetalSettings cores(int newCores) {
    return new SoftMetalSettings(order, seed, checks, lazy, maxThreads, newCores);
  }
}
