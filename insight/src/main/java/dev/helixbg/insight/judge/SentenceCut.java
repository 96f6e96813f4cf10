package dev.helixbg.insight.judge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * A text, or as much of its beginning as a budget allows: whole sentences, or where not even one
 * fits, whole words.
 *
 * @param tokens of what is left
 * @param cut whether something was left out
 */
record SentenceCut(String text, int tokens, boolean cut) {
  /**
   * No tokenizer makes fewer tokens of a text worth reading; what is behind is not even looked at.
   */
  private static final int MAX_CHARS_PER_TOKEN = 32;

  /**
   * @param budget in tokens
   * @param count tokens of a text
   */
  static SentenceCut of(String text, int budget, ToIntFunction<String> count) {
    long looked = (long) budget * MAX_CHARS_PER_TOKEN;
    String head = text.length() <= looked ? text : text.substring(0, whole(text, (int) looked));
    int tokens = count.applyAsInt(head);
    if (tokens <= budget && head.length() == text.length()) {
      return new SentenceCut(text, tokens, false);
    }
    for (List<Integer> ends : List.of(sentenceEnds(head), wordEnds(head), characterEnds(head))) {
      int end = longest(head, ends, budget, count);
      if (end > 0) {
        String kept = head.substring(0, end).stripTrailing();
        return new SentenceCut(kept, count.applyAsInt(kept), true);
      }
    }
    return new SentenceCut("", 0, true);
  }

  /** The last of the ends up to which the text fits; 0 for none. */
  private static int longest(
      String text, List<Integer> ends, int budget, ToIntFunction<String> count) {
    int fits = -1;
    int high = ends.size();
    while (high - fits > 1) {
      int middle = (fits + high) >>> 1;
      if (count.applyAsInt(text.substring(0, ends.get(middle))) <= budget) {
        fits = middle;
      } else {
        high = middle;
      }
    }
    return fits < 0 ? 0 : ends.get(fits);
  }

  /** Behind a full stop and the like that white space follows, and at the end of a line. */
  static List<Integer> sentenceEnds(String text) {
    List<Integer> ends = new ArrayList<>();
    for (int i = 1; i <= text.length(); i++) {
      char last = text.charAt(i - 1);
      boolean stop = last == '.' || last == '!' || last == '?';
      boolean gap = i == text.length() || Character.isWhitespace(text.charAt(i));
      boolean wide = last == '。' || last == '！' || last == '？';
      if (stop && gap || wide || i < text.length() && text.charAt(i) == '\n' && last != '\n') {
        ends.add(i);
      }
    }
    return ends;
  }

  private static List<Integer> wordEnds(String text) {
    List<Integer> ends = new ArrayList<>();
    for (int i = 1; i < text.length(); i++) {
      if (Character.isWhitespace(text.charAt(i)) && !Character.isWhitespace(text.charAt(i - 1))) {
        ends.add(i);
      }
    }
    return ends;
  }

  private static List<Integer> characterEnds(String text) {
    List<Integer> ends = new ArrayList<>();
    for (int i = 1; i <= text.length(); i++) {
      if (whole(text, i) == i) {
        ends.add(i);
      }
    }
    return ends;
  }

  /** At, or one before, a place that does not split a character. */
  private static int whole(String text, int at) {
    boolean split =
        at > 0
            && at < text.length()
            && Character.isHighSurrogate(text.charAt(at - 1))
            && Character.isLowSurrogate(text.charAt(at));
    return split ? at - 1 : at;
  }
}
