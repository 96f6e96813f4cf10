package dev.helixbg.insight.pairs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of one text that another text does not have, wherever it might have them: what would be
 * lost if only the other one stayed. Case counts for nothing, nor does an s at the end; words of
 * one or two letters and fillers are never told, numbers always.
 */
public final class WordDifference {
  /** A number with its points and commas, or letters and digits, as in {@code max_pairs}. */
  private static final Pattern WORD =
      Pattern.compile("\\d+(?:[.,:]\\d+)*(?![\\p{L}_])|[\\p{L}\\p{N}_]+");

  private static final int SHORT = 3;

  /** Words that say nothing by themselves. Not and never are none of them. */
  private static final Set<String> FILLERS =
      Set.of(
          ("the and for with that this these those from are was were has have had its it's will"
                  + " would can could which who when where then than there here into also but our"
                  + " you they them their been being does did done about over out")
              .split(" "));

  /** Longest beginning of either text that is looked at and marked, in characters. */
  private static final int MAX_TEXT = 100_000;

  /** Fewer words that are told are a stub: two of them may share a template and nothing else. */
  private static final int REPEATED_WORDS = 12;

  /** Words in a row by which a repetition is known. */
  private static final int RUN = 4;

  /** The share of such runs that the other text has in the same order, at least. */
  private static final double REPEATED_RUNS = 0.8;

  /** In a text with more than so many times the words, what is repeated is a small part. */
  private static final int LONGER = 3;

  private final Set<String> others;

  private WordDifference(Set<String> others) {
    this.others = others;
  }

  /**
   * A piece of a text.
   *
   * @param own whether the other text says nothing of it
   */
  public record Stretch(String text, boolean own) {}

  /** Returns the words that are not in this text. */
  public static WordDifference besides(String other) {
    return new WordDifference(new HashSet<>(stems(other)));
  }

  /**
   * Whether one of two texts has no word of its own and says nearly all in the order of the other
   * one. Bounds were chosen on public notes, see {@code insight/src/judge/README.md}: with a single
   * word of its own, it may be a look-alike.
   */
  static boolean isRepetition(String one, String other) {
    return isWithin(one, other) || isWithin(other, one);
  }

  private static boolean isWithin(String text, String other) {
    if (!besides(other).list(text).isEmpty()) {
      return false;
    }
    WordDifference any = new WordDifference(Set.of());
    int words = any.list(text).size();
    if (words < REPEATED_WORDS || any.list(other).size() > LONGER * words) {
      return false;
    }
    Set<List<String>> runs = runs(text);
    int all = runs.size();
    runs.retainAll(runs(other));
    return runs.size() >= REPEATED_RUNS * all;
  }

  private static Set<List<String>> runs(String text) {
    List<String> stems = stems(text);
    Set<List<String>> runs = new HashSet<>();
    for (int i = 0; i + RUN <= stems.size(); i++) {
      runs.add(List.copyOf(stems.subList(i, i + RUN)));
    }
    return runs;
  }

  /** The text in pieces. Own words with only a blank between them are one. */
  public List<Stretch> mark(String text) {
    List<Stretch> stretches = new ArrayList<>();
    Matcher matcher = WORD.matcher(begin(text));
    int written = 0;
    int start = -1;
    int end = 0;
    while (matcher.find()) {
      if (!isOwn(matcher.group())) {
        continue;
      }
      if (start >= 0 && !text.substring(end, matcher.start()).equals(" ")) {
        written = add(stretches, text, written, start, end);
        start = -1;
      }
      start = start < 0 ? matcher.start() : start;
      end = matcher.end();
    }
    if (start >= 0) {
      written = add(stretches, text, written, start, end);
    }
    if (written < text.length() || stretches.isEmpty()) {
      stretches.add(new Stretch(text.substring(written), false));
    }
    return stretches;
  }

  /** In the order of the text, each once, as it is written first. */
  public List<String> list(String text) {
    Map<String, String> words = new LinkedHashMap<>();
    Matcher matcher = WORD.matcher(begin(text));
    while (matcher.find()) {
      if (isOwn(matcher.group())) {
        words.putIfAbsent(stem(matcher.group()), matcher.group());
      }
    }
    return List.copyOf(words.values());
  }

  private static int add(List<Stretch> stretches, String text, int written, int start, int end) {
    if (written < start) {
      stretches.add(new Stretch(text.substring(written, start), false));
    }
    stretches.add(new Stretch(text.substring(start, end), true));
    return end;
  }

  private boolean isOwn(String word) {
    return (word.length() >= SHORT || Character.isDigit(word.charAt(0)))
        && !others.contains(stem(word))
        && !FILLERS.contains(word.toLowerCase(Locale.ROOT));
  }

  /** Returns the beginning of a text that is looked at. */
  public static String begin(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }

  /** Returns the stems of all words of a text, in its order. */
  private static List<String> stems(String text) {
    return WORD.matcher(begin(text)).results().map(found -> stem(found.group())).toList();
  }

  private static String stem(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return lower.length() > SHORT && lower.endsWith("s") && !lower.endsWith("ss")
        ? lower.substring(0, lower.length() - 1)
        : lower;
  }
}
