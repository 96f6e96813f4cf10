package dev.helixbg.llm.backend;

import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
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
    /** Command encoders opened. */
    ENCODERS,
    /** Encoders opened in a submission that had one before. */
    REOPENED_ENCODERS,
    /** Barriers between dispatches. */
    BARRIERS,
    /** Command buffers, or their like, handed over. */
    SUBMISSIONS,
    /** The most command buffers that were on their way at once. */
    MOST_IN_FLIGHT,
    /** Times the host waited for the device. */
    WAITS,
    WAIT_NANOS,
    /** Bytes of constants that were copied into command buffers. */
    BOUND_BYTES,
    /** Bytes of weights read. */
    WEIGHT_BYTES,
    /** Bytes of keys and values read. */
    CACHE_BYTES
  }

  /**
   * Products of one kernel with matrices of one type and shape.
   *
   * @param kernel as the backend names it
   * @param times that a matrix was multiplied with one vector or with several at once
   */
  public record ProductCount(String kernel, TensorType type, long rows, long columns, long times) {}

  private static final class Tally {
    private final String kernel;
    private final TensorType type;
    private final long rows;
    private final long columns;
    private long times;

    Tally(String kernel, TensorType type, long rows, long columns) {
      this.kernel = kernel;
      this.type = type;
      this.rows = rows;
      this.columns = columns;
    }

    boolean isOf(String otherKernel, TensorType otherType, long otherRows, long otherColumns) {
      return rows == otherRows
          && columns == otherColumns
          && type == otherType
          && kernel.equals(otherKernel);
    }
  }

  /** A few for each type of a model. */
  private final List<Tally> products = new ArrayList<>();

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
    products.clear();
  }

  public long get(Counter counter) {
    return values[counter.ordinal()];
  }

  /** Counts the product of a matrix. */
  public void product(String kernel, TensorType type, long rows, long columns) {
    for (int i = 0; i < products.size(); i++) { // an iterator would be garbage
      if (products.get(i).isOf(kernel, type, rows, columns)) {
        products.get(i).times++;
        return;
      }
    }
    products.add(new Tally(kernel, type, rows, columns));
    products.getLast().times = 1;
  }

  /** All products, in the order in which their kernels were first used. */
  public List<ProductCount> products() {
    return products.stream()
        .map(of -> new ProductCount(of.kernel, of.type, of.rows, of.columns, of.times))
        .toList();
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
