package dev.helixbg.llm.gpu;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** GPU times by kernel and dispatch grid. */
public final class KernelProfile {
  /**
   * Times of one kernel with one grid.
   *
   * @param library library of the kernel, which names for example the element types of weights
   * @param grid numbers of threadgroups and threads of each, such as {@code 1x64x1 of 128}
   * @param times number of dispatches
   * @param seconds seconds that the GPU took for all dispatches
   * @param fastest time of the fastest dispatch, in seconds
   */
  public record Entry(
      String kernel, String library, String grid, long times, double seconds, double fastest) {
    Entry plus(double more) {
      return new Entry(kernel, library, grid, times + 1, seconds + more, Math.min(fastest, more));
    }
  }

  /** Times by kernel, library and grid. */
  private final Map<List<String>, Entry> entries = new LinkedHashMap<>();

  void add(String kernel, String library, String grid, double seconds) {
    Entry once = new Entry(kernel, library, grid, 1, seconds, seconds);
    entries.merge(List.of(kernel, library, grid), once, (known, one) -> known.plus(seconds));
  }

  /** Deletes all times. */
  public void clear() {
    entries.clear();
  }

  /** Returns the times, with the largest total first. */
  public List<Entry> entries() {
    return entries.values().stream()
        .sorted(Comparator.comparingDouble(Entry::seconds).reversed())
        .toList();
  }
}
