package dev.helixbg.config.text;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the name that a user most probably meant: the name with the fewest edits from the typed
 * text. An edit changes one character, or swaps two neighbours (optimal string alignment).
 */
public final class NearestName {
  private static final int CHARACTERS_PER_EDIT = 3;

  /**
   * Maximum number of edits between the typed text and a near name. With more edits, two unrelated
   * ids could be near each other by chance, because an id has only ten digits.
   */
  private static final int MOST_EDITS = 2;

  /** Minimum length of a typed text that matches every name that begins with it. */
  private static final int BEGINNING = 3;

  private static final int LONGEST = 80;

  private NearestName() {}

  /** Returns {@code "; did you mean NAME?"}, or {@code otherwise} if no name is near. */
  public static String meant(String typed, Collection<String> names, String otherwise) {
    return of(typed, names)
        .map(name -> "; did you mean " + QuotedName.of(PrintableText.excerpt(name, LONGEST)) + "?")
        .orElse(otherwise);
  }

  static Optional<String> of(String typed, Collection<String> names) {
    if (typed.length() > LONGEST) {
      return Optional.empty();
    }
    String asked = typed.toLowerCase(Locale.ROOT);
    int best = Math.clamp(asked.length() / CHARACTERS_PER_EDIT, 1, MOST_EDITS) + 1;
    Optional<String> nearest = Optional.empty();
    for (String name : names) {
      String other = name.toLowerCase(Locale.ROOT);
      int edits =
          asked.length() >= BEGINNING && other.startsWith(asked)
              ? Math.min(1, other.length() - asked.length())
              : edits(asked, other, best);
      if (edits < best) {
        best = edits;
        nearest = Optional.of(name);
      }
    }
    return nearest;
  }

  /** Returns the number of edits if it is below {@code most}, otherwise {@code most} or more. */
  private static int edits(String a, String b, int most) {
    if (Math.abs(a.length() - b.length()) >= most) {
      return most;
    }
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          edits[i][j] = i + j;
          continue;
        }
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int least = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        least = Math.min(least, edits[i - 1][j - 1] + (same ? 0 : 1));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        edits[i][j] = swapped ? Math.min(least, edits[i - 2][j - 2] + 1) : least;
      }
    }
    return edits[a.length()][b.length()];
  }
}
