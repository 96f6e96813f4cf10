package dev.helixbg.insight.pairs;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides whether two texts have the same form but different subjects. Example: the first text
 * repeats <i>events</i> where the second text repeats <i>audit_log</i>, and neither text contains
 * the other's word. A judge would see only the form. The limits in this class were chosen on the
 * notes that the judge of notes was trained with, see {@code insight/src/judge/README.md}.
 */
final class OwnSubjects {
  /** Maximum number of words of a text that are compared. */
  private static final int LONGEST = 300;

  /** Number of words at the beginning of a text among which the subject must be. */
  private static final int BEGINNING = 20;

  /** Minimum number of times that a text names its subject. */
  private static final int TIMES = 2;

  /** Minimum share of the words of both texts that belong to the common order. */
  private static final double ONE_FORM = 0.4;

  private static final Pattern WORD =
      Pattern.compile("\\p{Nd}+(?:[.,:]\\p{Nd}+)*|\\p{L}+(?:[_\\-./][\\p{L}\\p{N}]+)*");

  /** Words that cannot be a subject. */
  private static final Set<String> FILLERS =
      Set.of(
          ("the a an of to in on for and or is are was were be it its with at by from as that this"
                  + " we i you not no our my now")
              .split(" "));

  private OwnSubjects() {}

  /** Returns the different subjects, such as {@code events, audit_log}; empty if there are none. */
  static Optional<String> between(String one, String other) {
    List<String> a = words(one);
    List<String> b = words(other);
    CommonOrder order = CommonOrder.of(a, b);
    if (order.share() < ONE_FORM) {
      return Optional.empty();
    }
    int i = 0;
    int j = 0;
    for (int[] place : order.placesAndEnd()) {
      if (i >= BEGINNING || j >= BEGINNING) {
        break;
      }
      Optional<String> ofA = subject(a.subList(i, place[0]), a, b);
      Optional<String> ofB = subject(b.subList(j, place[1]), b, a);
      if (ofA.isPresent() && ofB.isPresent()) {
        return Optional.of(ofA.get() + ", " + ofB.get());
      }
      i = place[0] + 1;
      j = place[1] + 1;
    }
    return Optional.empty();
  }

  /**
   * Returns the first word of {@code some} that occurs repeatedly in {@code own} and never in
   * {@code others}.
   */
  private static Optional<String> subject(
      List<String> some, List<String> own, List<String> others) {
    return some.stream()
        .filter(word -> !FILLERS.contains(word) && Character.isLetter(word.codePointAt(0)))
        .filter(word -> Collections.frequency(own, word) >= TIMES && !others.contains(word))
        .findFirst();
  }

  private static List<String> words(String text) {
    return WORD.matcher(text)
        .results()
        .limit(LONGEST)
        .map(found -> found.group().toLowerCase(Locale.ROOT))
        .toList();
  }
}
