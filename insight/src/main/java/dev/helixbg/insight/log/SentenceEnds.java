package dev.helixbg.insight.log;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds the ends of sentences and lines. A sentence ends after {@code .}, {@code !} or {@code ?}
 * before white space or the end of the text, and after each {@code 。}, {@code ！} or {@code ？}.
 */
public final class SentenceEnds {
  private SentenceEnds() {}

  /**
   * Returns the positions at which sentences end, in ascending order. A position is a number from 1
   * to {@code text.length()}.
   */
  public static List<Integer> of(String text) {
    return IntStream.rangeClosed(1, text.length())
        .filter(place -> isAt(text, place))
        .boxed()
        .toList();
  }

  /** Whether a sentence or line ends directly before {@code place}, 1 to {@code text.length()}. */
  static boolean isAt(String text, int place) {
    char last = text.charAt(place - 1);
    if ("。！？".indexOf(last) >= 0) {
      return true;
    }
    boolean gap = place == text.length() || Character.isWhitespace(text.charAt(place));
    if (!gap || Character.isWhitespace(last)) {
      return false;
    }
    return last == '.' || last == '!' || last == '?' || isLineEnd(text, place);
  }

  /** Returns {@code place}, or the place before it if it lies inside a surrogate pair. */
  public static int whole(String text, int place) {
    return place > 0
            && place < text.length()
            && Character.isSurrogatePair(text.charAt(place - 1), text.charAt(place))
        ? place - 1
        : place;
  }

  /** Whether only blanks are between {@code place} and the end of the line. */
  private static boolean isLineEnd(String text, int place) {
    for (int at = place; at < text.length() && Character.isWhitespace(text.charAt(at)); at++) {
      if (text.charAt(at) == '\n' || text.charAt(at) == '\r') {
        return true;
      }
    }
    return false;
  }
}
