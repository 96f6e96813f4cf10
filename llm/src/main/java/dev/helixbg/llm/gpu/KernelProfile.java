package dev.helixbg.llm.gpu;

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
   */
  public record Entry(
      String kernel, String library, String grid, long times, double seconds, double fastest) {
    Entry plus(double more) {
      return new Entry(kernel, library, grid, times + 1, seconds + more, Math.min(fastest, more));
    }
  }

  /** By kernel, library and grid. */
  private final Map<List<String>, Entry> entries = new LinkedHashMap<>();

  void add(String kernel, String library, String grid, double seconds) {
    Entry once = new Entry(kernel, library, grid, 1, seconds, seconds);
    entries.merge(List.of(kernel, library, grid), once, (known, one) -> known.plus(seconds));
  }

  /** Forgets all times. */
  public void clear() {
    entries.clear();
  }

  /** The slowest in all first. */
  public List<Entry> entries() {
    return entries.values().stream()
        .sorted(Comparator.comparingDouble(Entry::seconds).reversed())
        .toList();
  }
}
