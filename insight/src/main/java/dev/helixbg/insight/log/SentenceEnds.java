package dev.helixbg.insight.log;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the sentences and lines of a text end: behind a full stop and the like that white space
 * follows, behind one of Chinese or Japanese, and behind the last word of a line.
 */
public final class SentenceEnds {
  private SentenceEnds() {}

  /** All of a text, rising; each a place from 1 to its length. */
  public static List<Integer> of(String text) {
    return IntStream.rangeClosed(1, text.length())
        .filter(place -> isAt(text, place))
        .boxed()
        .toList();
  }

  /**
   * Whether a place is one.
   *
   * @param place from 1 to the length of the text
   */
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

  /** A place in a text, or the one before it, so that no character is split. */
  public static int whole(String text, int place) {
    return place > 0
            && place < text.length()
            && Character.isSurrogatePair(text.charAt(place - 1), text.charAt(place))
        ? place - 1
        : place;
  }

  /** Whether a line ends here, or behind blanks. */
  private static boolean isLineEnd(String text, int place) {
    for (int at = place; at < text.length() && Character.isWhitespace(text.charAt(at)); at++) {
      if (text.charAt(at) == '\n' || text.charAt(at) == '\r') {
        return true;
      }
    }
    return false;
  }
}
