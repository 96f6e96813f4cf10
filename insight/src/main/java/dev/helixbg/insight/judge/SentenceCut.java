package dev.helixbg.insight.judge;

import dev.helixbg.insight.log.SentenceEnds;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * A part of a text that fits into a budget of tokens: the beginning of the text, or the part around
 * a position. The part consists of whole sentences. If no sentence fits, it consists of whole words
 * or, if no word fits, of whole characters.
 */
record SentenceCut(String text, int tokens, boolean cut) {
  /** Maximum number of characters per token. Characters that cannot fit are not read. */
  private static final int MAX_CHARS_PER_TOKEN = 32;

  /**
   * Divisor of the budget. A quarter of the budget is reserved for the text before the position.
   */
  private static final int SHARE_BEFORE = 4;

  /**
   * Returns the whole text if it fits into the budget, else the part around a position.
   *
   * @param from the position. The text after it gets up to three quarters of the budget, and the
   *     text before it gets the rest. If tokens are still left, the text after the position gets
   *     them
   */
  static SentenceCut around(String text, int from, int budget, ToIntFunction<String> count) {
    SentenceCut start = of(text, budget, count);
    if (!start.cut() || from <= 0) {
      return start;
    }
    int place = SentenceEnds.whole(text, Math.min(from, text.length()));
    String before = text.substring(0, place);
    String behind = text.substring(place);
    SentenceCut rest = of(behind, budget - budget / SHARE_BEFORE, count);
    String some = endOf(before, budget - rest.tokens(), count);
    if (rest.cut()) {
      rest = of(behind, budget - count.applyAsInt(some), count);
    }
    String kept = some + rest.text();
    return new SentenceCut(kept, count.applyAsInt(kept), true);
  }

  private static String endOf(String text, int budget, ToIntFunction<String> count) {
    long looked = (long) budget * MAX_CHARS_PER_TOKEN;
    int begin = (int) Math.max(0, text.length() - looked);
    String tail = text.substring(SentenceEnds.whole(text, begin));
    List<Integer> ends = new ArrayList<>(SentenceEnds.of(tail));
    if (begin == 0) {
      ends.addFirst(0);
    }
    int fits = leading(ends, end -> count.applyAsInt(tail.substring(end)) > budget);
    return fits == ends.size() ? "" : tail.substring(ends.get(fits)).stripLeading();
  }

  /** {@code count} counts the tokens of a text. */
  static SentenceCut of(String text, int budget, ToIntFunction<String> count) {
    long looked = (long) budget * MAX_CHARS_PER_TOKEN;
    String head =
        text.length() <= looked ? text : text.substring(0, SentenceEnds.whole(text, (int) looked));
    int tokens = count.applyAsInt(head);
    if (tokens <= budget && head.length() == text.length()) {
      return new SentenceCut(text, tokens, false);
    }
    for (List<Integer> ends : List.of(SentenceEnds.of(head), wordEnds(head), characterEnds(head))) {
      int fits = leading(ends, end -> count.applyAsInt(head.substring(0, end)) <= budget);
      if (fits > 0) {
        String kept = head.substring(0, ends.get(fits - 1)).stripTrailing();
        return new SentenceCut(kept, count.applyAsInt(kept), true);
      }
    }
    return new SentenceCut("", 0, true);
  }

  /**
   * Returns the number of text positions in {@code ends} that fulfil the condition. These positions
   * must come before all positions that do not fulfil it.
   */
  private static int leading(List<Integer> ends, IntPredicate condition) {
    int low = -1;
    int high = ends.size();
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (condition.test(ends.get(middle))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private static List<Integer> wordEnds(String text) {
    return IntStream.range(1, text.length())
        .filter(i -> Character.isWhitespace(text.charAt(i)))
        .filter(i -> !Character.isWhitespace(text.charAt(i - 1)))
        .boxed()
        .toList();
  }

  private static List<Integer> characterEnds(String text) {
    return IntStream.rangeClosed(1, text.length())
        .filter(i -> SentenceEnds.whole(text, i) == i)
        .boxed()
        .toList();
  }
}
