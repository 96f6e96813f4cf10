package dev.helixbg.llm.gpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** GPU times by kernel and by the grid with which it was dispatched. */
public final class KernelProfile {
  /**
   * One kernel in one shape.
   *
   * @param library what it was compiled for, such as the element types of its weights
   * @param grid threadgroups by threads of each, such as {@code 1x64x1 of 128}
   * @param times it was dispatched
   * @param seconds the GPU took for all of them
   * @param fastest of them, in seconds
   * @param median of the first 65,536, and {@code p99}: of 100 one took longer
   */
  public record Entry(
      String kernel,
      String library,
      String grid,
      long times,
      double seconds,
      double fastest,
      double median,
      double p99) {}

  private record Key(String kernel, String library, String grid) {}

  private static final class Times {
    /** Most dispatches whose times are kept one by one: 512 KB. */
    private static final int MOST_KEPT = 1 << 16;

    private double[] kept = new double[64];
    private long times;
    private double sum;
    private double fastest = Double.MAX_VALUE;

    void add(double seconds) {
      if (times == kept.length && times < MOST_KEPT) {
        kept = Arrays.copyOf(kept, 2 * kept.length);
      }
      if (times < kept.length) {
        kept[(int) times] = seconds;
      }
      times++;
      sum += seconds;
      fastest = Math.min(fastest, seconds);
    }

    /** The nearest rank. */
    double quantile(double share) {
      double[] sorted = Arrays.copyOf(kept, (int) Math.min(times, kept.length));
      Arrays.sort(sorted);
      return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
  }

  private final Map<Key, Times> entries = new LinkedHashMap<>();

  void add(String kernel, String library, String grid, double seconds) {
    entries.computeIfAbsent(new Key(kernel, library, grid), key -> new Times()).add(seconds);
  }

  /** Forgets all times. */
  public void clear() {
    entries.clear();
  }

  /** The slowest in all first. */
  public List<Entry> entries() {
    List<Entry> found = new ArrayList<>();
    entries.forEach(
        (key, times) ->
            found.add(
                new Entry(
                    key.kernel,
                    key.library,
                    key.grid,
                    times.times,
                    times.sum,
                    times.fastest,
                    times.quantile(0.5),
                    times.quantile(0.99))));
    found.sort(Comparator.comparingDouble(Entry::seconds).reversed());
    return List.copyOf(found);
  }
}
