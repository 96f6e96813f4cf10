package dev.helixbg.insight.acts;

import dev.helixbg.config.text.PrintableText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Finds words that occur in one body, but in no other body of the same topic, for helix's parameter
 * {@code match_str}. helix edits the first entry of the topic, in the order of the log, whose body
 * contains the words. helix compares in lower case, includes metadata lines, and does not report
 * further matches.
 *
 * <p>The result is the first suitable sequence of whole words in one line of the text. If there is
 * none, sequences across line breaks and metadata lines are tried, then longer sequences, then the
 * whole body. The result has no character that could be changed by a terminal, by copying, or by a
 * JSON parser that cannot read surrogate pairs.
 */
final class MatchString {
  /** Minimum lengths of pieces (sequences of words), in characters, in the order of trial. */
  private static final int[] LENGTHS = {24, 80, 320};

  /**
   * Maximum number of characters that are added to a sequence of words to complete its last word. A
   * longer word is cut.
   */
  private static final int SLACK = 24;

  /** Maximum number of UTF-16 units that are searched, from the beginning of a body. */
  private static final int LONGEST_BODY = 1 << 16;

  /** Maximum length, in characters, of a whole body that is used as the argument of a call. */
  private static final int LONGEST_PIECE = 2_000;

  private final String body;
  private final String lower;

  /**
   * Bodies of the topic's other entries, in lower case. The body that contained the last rejected
   * words is first.
   */
  private final List<String> others = new ArrayList<>();

  private MatchString(String body, Iterable<String> others) {
    String start = body.substring(0, Math.min(LONGEST_BODY, body.length()));
    this.lower = lower(start);
    // If conversion to lower case changes the length, pieces are taken from the lower-case text,
    // which helix accepts.
    this.body = lower.length() == start.length() ? start : lower;
    others.forEach(other -> this.others.add(lower(other)));
  }

  /**
   * @param others bodies of the topic's other entries, now or during the calls of an act
   * @return the words; empty if there are none, for example because another body contains this
   *     whole body
   */
  static Optional<String> of(String body, Iterable<String> others) {
    MatchString search = new MatchString(body, others);
    String whole = body.strip();
    if (!search.isOwn(lower(whole))) {
      return Optional.empty();
    }
    for (int length : LENGTHS) {
      Optional<String> found =
          search
              .piece(length, MatchString::isPlain, true)
              .or(() -> search.piece(length, MatchString::isPlainOrBreak, false));
      if (found.isPresent()) {
        return found;
      }
    }
    boolean fits =
        whole.length() <= LONGEST_PIECE
            && whole.chars().allMatch(MatchString::isPlainOrBreak)
            && lower(body).contains(lower(whole));
    return fits ? Optional.of(whole) : Optional.empty();
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private boolean isOwn(String words) {
    for (int i = 0; i < others.size(); i++) {
      if (others.get(i).contains(words)) {
        Collections.swap(others, 0, i);
        return false;
      }
    }
    return !words.isEmpty();
  }

  /**
   * Returns the first sequence of words, about {@code length} characters long, that no other body
   * contains. All its characters are {@code plain}. If {@code inText} is true, metadata lines are
   * skipped.
   */
  private Optional<String> piece(int length, IntPredicate plain, boolean inText) {
    for (int start = 0; start < body.length(); ) {
      int end = start;
      while (end < body.length() && plain.test(body.charAt(end))) {
        end++;
      }
      boolean isText = !inText || body.charAt(start) != '[';
      for (int at = start; isText && at < end; at = nextWord(at, end)) {
        String piece = body.substring(at, wordEnd(Math.min(at + length, end), end)).strip();
        String words = lower(piece);
        // The lower case of a character can depend on its neighbours. The lower-case body might
        // therefore lack these words.
        if (lower.contains(words) && isOwn(words)) {
          return Optional.of(piece);
        }
        if (at + length >= end) {
          break; // further pieces are parts of this piece
        }
      }
      start = end + 1;
    }
    return Optional.empty();
  }

  /** Returns the start of the next word, or the next position to try within a very long word. */
  private int nextWord(int at, int most) {
    int next = at + 1;
    while (next < most && next - at < SLACK && !isGap(body.charAt(next - 1))) {
      next++;
    }
    return next;
  }

  private int wordEnd(int least, int most) {
    int end = least;
    while (end < most && end - least < SLACK && !isGap(body.charAt(end))) {
      end++;
    }
    return end < most && !isGap(body.charAt(end)) ? least : end;
  }

  private static boolean isGap(char c) {
    return c == ' ' || c == '\n';
  }

  private static boolean isPlainOrBreak(int character) {
    return character == '\n' || isPlain(character);
  }

  /** Whether a character is safe in a call. Sigma is not safe: it has two forms in lower case. */
  private static boolean isPlain(int character) {
    char c = (char) character;
    return c == ' '
        || (c > ' ' && c < 0x7F)
        || (c >= 0xA0
            && c != 0xFFFD
            && c != '\u03A3'
            && !Character.isSurrogate(c)
            && !Character.isWhitespace(c)
            && PrintableText.line(String.valueOf(c)).equals(String.valueOf(c)));
  }
}
