package dev.helixbg.insight.findings;

import dev.helixbg.config.text.NormalForm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which entries are exact copies of another one: they have the same text, apart from blanks around
 * it, metadata and Unicode forms, in any topic. A blank text is not a copy. One entry of each group
 * is the original. The choice does not depend on their order, so that findings about it keep their
 * ids.
 *
 * @param originals of each entry the index of the one that stands for its text
 */
record ExactCopies(int[] originals) {

  /**
   * @param entries by offset
   */
  static ExactCopies of(List<NamedEntry> entries) {
    Map<String, Integer> standing = new HashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      standing.merge(
          text(entries.get(i)),
          i,
          (one, other) ->
              entries.get(one).key().compareTo(entries.get(other).key()) <= 0 ? one : other);
    }
    int[] originals = new int[entries.size()];
    for (int i = 0; i < originals.length; i++) {
      String text = text(entries.get(i));
      originals[i] = text.isEmpty() ? i : standing.get(text);
    }
    return new ExactCopies(originals);
  }

  static String text(NamedEntry named) {
    return NormalForm.of(named.entry().text().content()).strip();
  }

  /** Whether another entry stands for its text: other findings know only that one. */
  boolean isCopy(int entry) {
    return originals[entry] != entry;
  }

  /**
   * Entries with one text, the largest groups first.
   *
   * @param filter two of them at least may be in one finding
   */
  List<List<Integer>> groups(Analysis.PairFilter filter) {
    Map<Integer, List<Integer>> groups = new LinkedHashMap<>();
    for (int i = 0; i < originals.length; i++) {
      groups.computeIfAbsent(originals[i], original -> new ArrayList<>()).add(i);
    }
    return groups.values().stream()
        .filter(group -> group.size() > 1)
        .filter(
            group ->
                group.stream()
                    .anyMatch(one -> group.stream().anyMatch(other -> filter.admits(one, other))))
        .sorted(Comparator.comparingInt((List<Integer> group) -> -group.size()))
        .toList();
  }
}
