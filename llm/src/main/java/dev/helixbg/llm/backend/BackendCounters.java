package dev.helixbg.llm.backend;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Counts of what a backend did. Reading and adding allocates nothing. */
public final class BackendCounters {

  /** Counted quantity. */
  public enum Counter {
    /** Passes through the model. */
    PASSES,
    /** Rows of all passes: prompt and generated tokens. */
    ROWS,
    /** Kernels started: on a GPU dispatches, on the CPU parallel regions. */
    DISPATCHES,
    /** Barriers between dispatches. */
    BARRIERS,
    /** Command buffers, or their like, handed over. */
    SUBMISSIONS,
    /** The most command buffers that were on their way at once. */
    MOST_IN_FLIGHT,
    /** Times the host waited for the device. */
    WAITS,
    /** Bytes of constants that were copied into command buffers. */
    BOUND_BYTES,
    /** Bytes of weights read. */
    WEIGHT_BYTES
  }

  private final long[] values = new long[Counter.values().length];

  public void add(Counter counter, long amount) {
    values[counter.ordinal()] += amount;
  }

  /** Keeps the largest value there was. */
  public void max(Counter counter, long value) {
    values[counter.ordinal()] = Math.max(values[counter.ordinal()], value);
  }

  /** Sets all to zero. */
  public void clear() {
    Arrays.fill(values, 0);
  }

  public long get(Counter counter) {
    return values[counter.ordinal()];
  }

  /** All that are not zero. */
  public Map<Counter, Long> snapshot() {
    Map<Counter, Long> snapshot = new EnumMap<>(Counter.class);
    for (Counter counter : Counter.values()) {
      if (get(counter) != 0) {
        snapshot.put(counter, get(counter));
      }
    }
    return snapshot;
  }
}
