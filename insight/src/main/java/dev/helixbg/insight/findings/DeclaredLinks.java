package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.EntryText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Pairs of entries of which one links to the other ({@code [links: …]}) or to a copy of the other.
 * A copy is represented by its original.
 */
final class DeclaredLinks {
  private DeclaredLinks() {}

  /** Returns the pairs in the form of {@link #pair}. */
  static Set<Long> of(List<NamedEntry> entries, ExactCopies copies) {
    Set<Long> declared = new HashSet<>();
    Map<EntryText.Link, Integer> places = HashMap.newHashMap(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      places.put(entries.get(i).link(), i);
    }
    for (int i = 0; i < entries.size(); i++) {
      for (EntryText.Link link : entries.get(i).text().links()) {
        Integer other = places.get(link);
        if (other != null) {
          declared.add(pair(copies.originals()[i], copies.originals()[other]));
        }
      }
    }
    return declared;
  }

  /** Returns two indices as one number, the same in either order. */
  static long pair(int a, int b) {
    return (long) Math.min(a, b) << 32 | Math.max(a, b);
  }
}
