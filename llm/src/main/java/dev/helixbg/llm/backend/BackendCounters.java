package dev.helixbg.llm.backend;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Counters of a backend's work. */
public final class BackendCounters {

  public enum Counter {
    PASSES,
    /** Number of tokens that all passes computed, both of prompts and of answers. */
    ROWS,
    /** Number of started kernels: dispatches on a GPU, parallel regions on the CPU. */
    DISPATCHES,
    BARRIERS,
    SUBMISSIONS,
    MOST_IN_FLIGHT,
    WAITS,
    /** Size of the constants that were copied into command buffers, in bytes. */
    BOUND_BYTES,
    /** Size of the weights that were read, in bytes. */
    WEIGHT_BYTES
  }

  private final long[] values = new long[Counter.values().length];

  public void add(Counter counter, long amount) {
    values[counter.ordinal()] += amount;
  }

  public void max(Counter counter, long value) {
    values[counter.ordinal()] = Math.max(values[counter.ordinal()], value);
  }

  public void clear() {
    Arrays.fill(values, 0);
  }

  public long get(Counter counter) {
    return values[counter.ordinal()];
  }

  /** Returns all counters that are not zero. */
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
