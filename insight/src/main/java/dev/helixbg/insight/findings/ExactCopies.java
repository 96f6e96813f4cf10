package dev.helixbg.insight.findings;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.notes.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The exact copies among entries of all topics. Differences in metadata, in Unicode forms, or in
 * the blanks around the text do not matter. An entry with a blank text is not a copy. {@link
 * Scope#areCopies} tells which entries with equal texts are copies. One entry of each group of
 * copies is the original. The choice of the original does not depend on the order of the entries,
 * so that findings keep their ids.
 *
 * @param originals for each entry, the index of its original; an original has its own index
 * @param firsts for each entry, the index of the first original with the same text
 * @param scopes {@link Scope} of each entry that has the same text as another entry; null for other
 *     entries
 * @param byKey indices of the entries with each key
 */
record ExactCopies(
    int[] originals, int[] firsts, Scope[] scopes, Map<String, List<Integer>> byKey) {

  static ExactCopies of(List<NamedEntry> entries) {
    int[] originals = IntStream.range(0, entries.size()).toArray();
    int[] firsts = originals.clone();
    Scope[] scopes = new Scope[originals.length];
    Map<String, List<Integer>> equal = indices(entries, ExactCopies::text);
    equal.remove("");
    equal.values().removeIf(group -> group.size() == 1);
    for (List<Integer> group : equal.values()) {
      group.forEach(i -> scopes[i] = Scope.of(entries.get(i).entry()));
      group.sort(
          Comparator.comparingInt((Integer i) -> -scopes[i].breadth())
              .thenComparing(i -> entries.get(i).key()));
      List<Integer> own = new ArrayList<>();
      for (int i : group) {
        originals[i] =
            own.stream().filter(one -> scopes[one].areCopies(scopes[i])).findFirst().orElse(i);
        if (originals[i] == i) {
          own.add(i);
        }
        firsts[i] = own.getFirst();
      }
    }
    return new ExactCopies(originals, firsts, scopes, indices(entries, NamedEntry::key));
  }

  private static Map<String, List<Integer>> indices(
      List<NamedEntry> entries, Function<NamedEntry, String> name) {
    return IntStream.range(0, entries.size())
        .boxed()
        .collect(Collectors.groupingBy(i -> name.apply(entries.get(i))));
  }

  static String text(NamedEntry named) {
    return NormalForm.of(named.content()).strip();
  }

  /** Whether another entry is the original of this entry; relations name only originals. */
  boolean isCopy(int entry) {
    return originals[entry] != entry;
  }

  /**
   * Whether two originals may form a relation. A relation is stored as two keys, so each key must
   * lead to the right entry. If both originals have the same text, one of them must be the first
   * original with this text, and {@link Scope#elsewhere} must give no reason why both are needed.
   */
  boolean mayBeRelated(List<NamedEntry> entries, int a, int b) {
    List<Integer> likeA = byKey.get(entries.get(a).key());
    List<Integer> likeB = byKey.get(entries.get(b).key());
    boolean areFound =
        likeA == likeB ? likeA.size() == 2 : likeA.getFirst() == a && likeB.getFirst() == b;
    return areFound
        && (firsts[a] != firsts[b]
            || (firsts[a] == a || firsts[a] == b)
                && scopes[a].elsewhere(scopes[b], true).isEmpty());
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
