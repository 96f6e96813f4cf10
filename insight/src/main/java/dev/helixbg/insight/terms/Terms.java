package dev.helixbg.insight.terms;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.log.Script;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The terms of a text: its words, identifiers and numbers. Identifiers such as {@code retry-budget}
 * or {@code maxRetries} are terms, and so are their parts. English words lose some endings ({@link
 * #stem}). In a writing system without spaces between words, in Korean and in emoji, each pair of
 * adjacent characters is a word. Unicode form, width and case do not matter.
 *
 * @param counts how often the text has each term
 * @param spellings spelling of each term at its first place in the text
 */
public record Terms(Map<String, Integer> counts, Map<String, String> spellings) {
  /** Maximum length of a term. Longer words are hashes or encoded data. */
  private static final int MAX_LENGTH = 60;

  private static final List<String> ENDINGS = List.of("ing", "ed", "es", "s");

  private static final int LONGEST_ENDING = 3;

  /** Minimum length of a word without its ending, in characters. */
  private static final int MIN_STEM = 4;

  private static final byte WORD = 1;
  private static final byte JOINT = 2;
  private static final byte UPPER = 4;
  private static final byte LOWER = 8;

  /** Bit of a character that forms a word with each adjacent character that has this bit. */
  private static final byte RUN = 16;

  /** Kinds of ASCII characters, in a table because a new JVM computes kinds slowly. */
  private static final byte[] KINDS = new byte[128];

  static {
    for (char c = 0; c < KINDS.length; c++) {
      KINDS[c] = kindsOf(c);
    }
  }

  public static Terms of(String text) {
    Terms terms = new Terms(new HashMap<>(), new HashMap<>());
    String normal = NormalForm.of(text);
    each(normal.toCharArray(), (start, end) -> terms.put(normal.substring(start, end)));
    return terms;
  }

  /** Returns a text for a search. If the text has accents, a copy without accents follows it. */
  public static String withAndWithoutAccents(String text) {
    String plain = NormalForm.withoutAccents(text);
    return plain.equals(text) ? text : text + "\n" + plain;
  }

  /** Receives the words of a text; a whole identifier comes before its parts. */
  @FunctionalInterface
  private interface WordSink {
    void word(int start, int end);
  }

  private static void each(char[] text, WordSink sink) {
    for (int start = 0; start < text.length; ) {
      int end = end(text, start);
      if (end > start) {
        each(text, start, end, sink);
      }
      start = Math.max(end, start + 1);
    }
  }

  /**
   * Returns a function that counts how often a text has each of these terms. No string is created
   * for a word if its first two letters or its length show that it is not one of these terms.
   */
  static Function<String, Map<String, Integer>> among(Set<String> wanted) {
    // for each pair of first letters, the maximum length of a word whose term begins with them
    int[] longest = new int[KINDS.length * KINDS.length];
    for (String term : wanted) {
      int beginning = beginning(term.toCharArray(), 0, term.length());
      if (beginning >= 0) {
        // A word in a text can be longer than its term, because the term lacks the ending.
        longest[beginning] = Math.max(longest[beginning], term.length() + LONGEST_ENDING);
      }
    }
    return written -> {
      char[] text = NormalForm.of(written).toCharArray();
      Map<String, Integer> counts = new HashMap<>();
      each(
          text,
          (start, end) -> {
            int beginning = beginning(text, start, end);
            if (beginning < 0 || end - start <= longest[beginning]) {
              String term = term(new String(text, start, end - start));
              if (wanted.contains(term)) {
                counts.merge(term, 1, Integer::sum);
              }
            }
          });
      return counts;
    };
  }

  /**
   * Returns a number computed from a word's first two letters; -1 if they are not ASCII. The word's
   * term begins with the same letters.
   */
  private static int beginning(char[] text, int start, int end) {
    int first = lower(text[start]);
    int second = end - start > 1 ? lower(text[start + 1]) : 0;
    return first < KINDS.length && second < KINDS.length ? first * KINDS.length + second : -1;
  }

  private static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }

  /** Returns the end of the identifier at {@code start}; {@code start} if none begins there. */
  private static int end(char[] text, int start) {
    int end = start;
    while (end < text.length) {
      char c = text[end];
      if (!is(c, WORD)
          && !(end > start && is(c, JOINT) && end + 1 < text.length && is(text[end + 1], WORD))) {
        break;
      }
      end++;
    }
    return end;
  }

  private static boolean is(char c, byte kind) {
    return (kinds(c) & kind) != 0;
  }

  private static byte kinds(char c) {
    return c < KINDS.length ? KINDS[c] : kindsOf(c);
  }

  private static byte kindsOf(char c) {
    boolean isEmoji = // neither an arrow nor a part of a drawing
        Character.getType(c) == Character.OTHER_SYMBOL
            && (c >= '\u2600' || c >= '\u2300' && c < '\u2500');
    return (byte)
        ((Character.isLetterOrDigit(c) || isMark(c) ? WORD : 0)
            | (Script.hasJoinedWords(c) ? RUN : 0)
            | (Character.isSurrogate(c) || isEmoji ? WORD | RUN : 0)
            | (c == '_' || c == '-' || c == '.' ? JOINT : 0)
            | (Character.isUpperCase(c) ? UPPER : 0)
            | (Character.isLowerCase(c) ? LOWER : 0));
  }

  private static boolean isMark(char c) {
    int type = Character.getType(c);
    return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
  }

  /** Passes identifiers, their parts, and pairs of characters to a sink. */
  private static void each(char[] text, int begin, int end, WordSink sink) {
    for (int start = begin; start < end; ) {
      boolean run = is(text[start], RUN);
      int at = start + 1;
      while (at < end && is(text[at], RUN) == run) {
        at++;
      }
      if (run) {
        pairs(text, start, at, sink);
      } else {
        identifier(text, start, at, sink);
      }
      start = at;
    }
  }

  private static void pairs(char[] text, int begin, int end, WordSink sink) {
    int second = Character.offsetByCodePoints(text, begin, end - begin, begin, 1);
    if (second == end) {
      sink.word(begin, end);
    }
    for (int first = begin; second < end; ) {
      int third = Character.offsetByCodePoints(text, begin, end - begin, second, 1);
      sink.word(first, third);
      first = second;
      second = third;
    }
  }

  private static void identifier(char[] text, int begin, int end, WordSink sink) {
    if (end - begin <= MAX_LENGTH) {
      sink.word(begin, end);
    }
    int start = begin;
    byte before = kinds(text[begin]);
    for (int i = begin + 1; i < end; i++) {
      byte kinds = kinds(text[i]);
      boolean joint = (kinds & JOINT) != 0;
      boolean hump = (kinds & UPPER) != 0 && (before & LOWER) != 0;
      if (joint || hump) {
        part(start, i, sink);
        start = joint ? i + 1 : i;
      }
      before = kinds;
    }
    if (start > begin) {
      part(start, end, sink);
    }
  }

  private static void part(int start, int end, WordSink sink) {
    if (end - start > 1 && end - start <= MAX_LENGTH) {
      sink.word(start, end);
    }
  }

  private void put(String word) {
    String term = term(word);
    counts.merge(term, 1, Integer::sum);
    spellings.putIfAbsent(term, word);
  }

  /**
   * Returns the term of a word. The word is first converted to upper case, so that letters with
   * several lower-case forms count as one letter. The dot that İ leaves is removed.
   */
  private static String term(String word) {
    String upper = NormalForm.isAscii(word) ? word : word.toUpperCase(Locale.ROOT);
    return stem(upper.toLowerCase(Locale.ROOT).replace("i\u0307", "i"));
  }

  /** Returns a lower-case word without its ending; most forms of a word give the same result. */
  private static String stem(String word) {
    for (String ending : ENDINGS) {
      if (word.length() >= ending.length() + MIN_STEM && word.endsWith(ending)) {
        return word.substring(0, word.length() - ending.length());
      }
    }
    return word;
  }
}
