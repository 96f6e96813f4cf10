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
 * The words, identifiers and numbers of a text. {@code retry-budget} or {@code maxRetries} counts
 * as itself and as its parts; endings of English plurals and verbs are taken off, see {@link
 * #stem}. Of a script without spaces between words each two characters that follow each other are a
 * word. Forms of Unicode, width and case count for nothing.
 */
public final class Terms {
  /** Longer ones are hashes and encoded data. */
  private static final int MAX_LENGTH = 60;

  private static final List<String> ENDINGS = List.of("ing", "ed", "es", "s");

  private static final int LONGEST_ENDING = 3;

  /** Least length of a word without its ending, in characters. */
  private static final int MIN_STEM = 4;

  private static final byte WORD = 1;
  private static final byte JOINT = 2;
  private static final byte UPPER = 4;
  private static final byte LOWER = 8;

  /** Whether a character is of a script that writes no spaces between words. */
  private static final byte RUN = 16;

  /**
   * Kinds of the characters that most texts are made of: a young JVM has no quick code for others.
   */
  private static final byte[] KINDS = new byte[128];

  static {
    for (char c = 0; c < KINDS.length; c++) {
      KINDS[c] = kindsOf(c);
    }
  }

  private final Map<String, Integer> counts = new HashMap<>();

  /** Each as it is first written. */
  private final Map<String, String> spellings = new HashMap<>();

  private Terms() {}

  public static Terms of(String text) {
    Terms terms = new Terms();
    String normal = NormalForm.of(text);
    each(
        normal.toCharArray(),
        normal.length(),
        (start, end) -> terms.put(normal.substring(start, end)));
    return terms;
  }

  /** Hears of the words of a text: identifiers, each before its parts. */
  @FunctionalInterface
  private interface WordSink {
    void word(int start, int end);
  }

  private static void each(char[] text, int length, WordSink sink) {
    for (int start = 0; start < length; ) {
      int end = end(text, start, length);
      if (end > start) {
        each(text, start, end, sink);
      }
      start = Math.max(end, start + 1);
    }
  }

  /**
   * Gives those of these terms that a text has, each with how often. Many texts are looked through
   * for a few terms: a word that by its first two letters and length can be none of them costs no
   * string. For one thread.
   */
  static Function<String, Map<String, Integer>> among(Set<String> wanted) {
    char[][] buffer = {new char[0]}; // for all texts
    int[] longest = new int[KINDS.length * KINDS.length]; // longest terms that begin alike
    for (String term : wanted) {
      int beginning = beginning(term.toCharArray(), 0, term.length());
      if (beginning >= 0) {
        // Letters may become longer in lower case, endings are taken off: at most so many.
        longest[beginning] = Math.max(longest[beginning], term.length() + LONGEST_ENDING);
      }
    }
    return written -> {
      String normal = NormalForm.of(written);
      if (buffer[0].length < normal.length()) {
        buffer[0] = new char[2 * normal.length()];
      }
      char[] text = buffer[0];
      normal.getChars(0, normal.length(), text, 0);
      Map<String, Integer> counts = new HashMap<>();
      each(
          text,
          normal.length(),
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

  /** A number for the first two letters of a word, which no ending is part of; -1 for rare ones. */
  private static int beginning(char[] text, int start, int end) {
    int first = lower(text[start]);
    int second = end - start > 1 ? lower(text[start + 1]) : 0;
    return first < KINDS.length && second < KINDS.length ? first * KINDS.length + second : -1;
  }

  private static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }

  /** How often each occurs. */
  public Map<String, Integer> counts() {
    return counts;
  }

  /** A term as the text first has it. */
  public String spelling(String term) {
    return spellings.get(term);
  }

  /**
   * Returns the end of the identifier that begins at {@code start}; {@code start} if none begins
   * there.
   */
  private static int end(char[] text, int start, int length) {
    int end = start;
    while (end < length) {
      char c = text[end];
      if (!is(c, WORD)
          && !(end > start && is(c, JOINT) && end + 1 < length && is(text[end + 1], WORD))) {
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
    return (byte)
        ((Character.isLetterOrDigit(c) || isMark(c) ? WORD : 0)
            | (Script.isWithoutSpaces(c) ? RUN : 0)
            | (c == '_' || c == '-' || c == '.' ? JOINT : 0)
            | (Character.isUpperCase(c) ? UPPER : 0)
            | (Character.isLowerCase(c) ? LOWER : 0));
  }

  private static boolean isMark(char c) {
    int type = Character.getType(c);
    return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
  }

  /**
   * Identifiers with their parts, and pairs of the characters in runs of a script without spaces.
   */
  private static void each(char[] text, int begin, int end, WordSink sink) {
    for (int start = begin; start < end; ) {
      boolean run = is(text[start], RUN);
      int at = start + 1;
      while (at < end && is(text[at], RUN) == run) {
        at++;
      }
      if (run) {
        pairs(start, at, sink);
      } else {
        identifier(text, start, at, sink);
      }
      start = at;
    }
  }

  private static void pairs(int begin, int end, WordSink sink) {
    if (end - begin == 1) {
      sink.word(begin, end);
    }
    for (int i = begin; i + 1 < end; i++) {
      sink.word(i, i + 2);
    }
  }

  /** An identifier and its parts. */
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

  /** The stem of a word in one case: of letters that have several small forms, too. */
  private static String term(String word) {
    String upper = NormalForm.isAscii(word) ? word : word.toUpperCase(Locale.ROOT);
    return stem(upper.toLowerCase(Locale.ROOT));
  }

  /**
   * A word without its ending, roughly: {@code waited} is {@code wait}. What is left need be no
   * word, but is the same of most forms of one.
   *
   * @param word in lower case
   */
  public static String stem(String word) {
    for (String ending : ENDINGS) {
      if (word.length() >= ending.length() + MIN_STEM && word.endsWith(ending)) {
        return word.substring(0, word.length() - ending.length());
      }
    }
    return word;
  }
}
