package dev.helixbg.insight.findings;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/**
 * The exact copies among entries of all topics. Differences in metadata, in Unicode forms, or in
 * the blanks around the text do not matter. An entry with a blank text is not a copy. One entry of
 * each group of copies is the original. The choice of the original does not depend on the order of
 * the entries, so that findings keep their ids.
 *
 * @param originals for each entry, the index of the original with the same text, perhaps itself
 */
record ExactCopies(int[] originals) {

  static ExactCopies of(List<NamedEntry> entries) {
    List<String> texts = entries.stream().map(ExactCopies::text).toList();
    Map<String, Integer> originals = new HashMap<>();
    BinaryOperator<Integer> firstByKey =
        BinaryOperator.minBy(Comparator.comparing(i -> entries.get(i).key()));
    for (int i = 0; i < entries.size(); i++) {
      originals.merge(texts.get(i), i, firstByKey);
    }
    return new ExactCopies(
        IntStream.range(0, entries.size())
            .map(i -> texts.get(i).isEmpty() ? i : originals.get(texts.get(i)))
            .toArray());
  }

  static String text(NamedEntry named) {
    return NormalForm.of(named.content()).strip();
  }

  /** Whether another entry is the original of this entry; relations name only originals. */
  boolean isCopy(int entry) {
    return originals[entry] != entry;
  }

  /**
   * Returns the groups of entries with the same text, the largest first. Sections of one note may
   * repeat a text on purpose, so a group needs two entries that are not sections of one file.
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
