package dev.helixbg.llm.gpu;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** GPU times by kernel. */
public final class Profile {
  /**
   * One kernel.
   *
   * @param times it was dispatched
   * @param seconds the GPU took for all of them
   * @param fastest of them, in seconds
   */
  public record Entry(String kernel, long times, double seconds, double fastest) {}

  private final Map<String, Entry> entries = new HashMap<>();

  void add(String kernel, double seconds) {
    entries.merge(
        kernel,
        new Entry(kernel, 1, seconds, seconds),
        (a, b) ->
            new Entry(
                kernel, a.times + b.times, a.seconds + b.seconds, Math.min(a.fastest, b.fastest)));
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
