package dev.helixbg.insight.terms;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The words, identifiers and numbers of a text. {@code retry-budget} or {@code maxRetries} counts
 * as itself and as its parts; endings of English plurals and verbs are taken off, roughly.
 */
public final class Terms {
  /** Longer ones are hashes and encoded data. */
  private static final int MAX_LENGTH = 60;

  private static final List<String> ENDINGS = List.of("ing", "ed", "es", "s");

  /** What must be left of a word without its ending. */
  private static final int MIN_STEM = 4;

  private final Map<String, Integer> counts = new HashMap<>();

  /** Each as it is first written. */
  private final Map<String, String> spellings = new HashMap<>();

  private Terms() {}

  public static Terms of(String text) {
    Terms terms = new Terms();
    for (int start = 0; start < text.length(); ) {
      int end = end(text, start);
      if (end > start) {
        terms.add(text.substring(start, end));
      }
      start = Math.max(end, start + 1);
    }
    return terms;
  }

  /** How often each occurs. */
  public Map<String, Integer> counts() {
    return counts;
  }

  /** A term as the text first has it. */
  public String spelling(String term) {
    return spellings.get(term);
  }

  /** Where the identifier that begins at {@code start} ends; {@code start} if there is none. */
  private static int end(String text, int start) {
    int end = start;
    while (end < text.length()
        && (Character.isLetterOrDigit(text.charAt(end))
            || end > start
                && isJoint(text.charAt(end))
                && end + 1 < text.length()
                && Character.isLetterOrDigit(text.charAt(end + 1)))) {
      end++;
    }
    return end;
  }

  private static boolean isJoint(char c) {
    return c == '_' || c == '-' || c == '.';
  }

  private void add(String identifier) {
    if (identifier.length() <= MAX_LENGTH) {
      put(identifier);
    }
    int start = 0;
    for (int i = 1; i <= identifier.length(); i++) {
      boolean joint = i < identifier.length() && isJoint(identifier.charAt(i));
      boolean hump =
          i < identifier.length()
              && Character.isUpperCase(identifier.charAt(i))
              && Character.isLowerCase(identifier.charAt(i - 1));
      if (joint || hump || i == identifier.length() && start > 0) {
        if (i - start > 1 && i - start <= MAX_LENGTH) {
          put(identifier.substring(start, i));
        }
        start = joint ? i + 1 : i;
      }
    }
  }

  private void put(String word) {
    String term = stem(word.toLowerCase(Locale.ROOT));
    counts.merge(term, 1, Integer::sum);
    spellings.putIfAbsent(term, word);
  }

  private static String stem(String word) {
    for (String ending : ENDINGS) {
      if (word.length() >= ending.length() + MIN_STEM && word.endsWith(ending)) {
        return word.substring(0, word.length() - ending.length());
      }
    }
    return word;
  }
}
