package dev.helixbg.llm.softmetal;

/**
 * How the software Metal runs kernels.
 *
 * @param order order in which threadgroups, simdgroups and lanes run; a correct kernel gives the
 *     same results in any order
 * @param seed seed for {@link Order#SHUFFLED}
 * @param checks whether each access to memory is checked: its bounds, races, and reads of unwritten
 *     memory. Without checks, kernels run several times faster.
 * @param lazy whether a command buffer runs only when the host waits for it (5 ms later if the host
 *     polls the status). The host then reads old values if it reads too early, and a too early
 *     write is detected.
 */
public record SoftMetalSettings(Order order, int seed, boolean checks, boolean lazy) {
  public enum Order {
    FORWARD,
    BACKWARD,
    SHUFFLED
  }

  /** All checks, threads in forward order, and command buffers that run at once. */
  public static final SoftMetalSettings STRICT =
      new SoftMetalSettings(Order.FORWARD, 1, true, false);

  /** No checks of memory, for long runs of kernels that passed with {@link #STRICT}. */
  public static final SoftMetalSettings FAST = STRICT.checks(false);

  /** Returns these settings with another order. */
  public SoftMetalSettings order(Order newOrder, int newSeed) {
    return new SoftMetalSettings(newOrder, newSeed, checks, lazy);
  }

  /** Returns these settings with {@code checks} changed. */
  public SoftMetalSettings checks(boolean newChecks) {
    return new SoftMetalSettings(order, seed, newChecks, lazy);
  }

  /** Returns these settings with {@code lazy} changed. */
  public SoftMetalSettings lazy(boolean newLazy) {
    return new SoftMetalSettings(order, seed, checks, newLazy);
  }
}
