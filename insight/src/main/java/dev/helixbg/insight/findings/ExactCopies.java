package dev.helixbg.insight.findings;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.Arrays;
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
    List<String> texts = entries.stream().map(ExactCopies::text).toList();
    Map<String, Integer> standing = new HashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      standing.merge(
          texts.get(i),
          i,
          (one, other) ->
              entries.get(one).key().compareTo(entries.get(other).key()) <= 0 ? one : other);
    }
    int[] originals = new int[entries.size()];
    Arrays.setAll(originals, i -> texts.get(i).isEmpty() ? i : standing.get(texts.get(i)));
    return new ExactCopies(originals);
  }

  static String text(NamedEntry named) {
    return NormalForm.of(named.content()).strip();
  }

  /** Whether another entry represents its text; other findings name only that entry. */
  boolean isCopy(int entry) {
    return originals[entry] != entry;
  }

  /**
   * Entries with one text, the largest groups first. Sections of one note stand where their writer
   * wants them: a group has two entries that are not such.
   *
   * @param entries the same
   */
  List<List<NamedEntry>> groups(List<NamedEntry> entries) {
    Map<Integer, List<NamedEntry>> groups = new LinkedHashMap<>();
    for (int i = 0; i < originals.length; i++) {
      groups.computeIfAbsent(originals[i], _ -> new ArrayList<>()).add(entries.get(i));
    }
    return groups.values().stream()
        .filter(
            group ->
                group.stream()
                    .skip(1)
                    .anyMatch(
                        one ->
                            !NoteName.areSectionsOfOneFile(group.getFirst().entry(), one.entry())))
        .sorted(Comparator.comparingInt((List<NamedEntry> group) -> -group.size()))
        .toList();
  }
}
