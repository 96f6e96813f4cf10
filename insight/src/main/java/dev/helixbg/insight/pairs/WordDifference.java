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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The words of one text that another text lacks, and that would be lost if only the other text were
 * kept. Case and a final s are ignored. Fillers and words of one or two letters never count.
 * Numbers always count.
 *
 * @param others stems of the words of the other text
 */
public record WordDifference(Set<String> others) {
  /** A number with points and commas, or a word of letters (with their marks), digits and _. */
  private static final Pattern WORD =
      Pattern.compile("\\d+(?:[.,:]\\d+)*(?![\\p{L}_])|[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_]*");

  private static final int SHORT = 3;

  /** Words without a meaning of their own; <i>not</i> and <i>never</i> are not among them. */
  private static final Set<String> FILLERS =
      Set.of(
          ("the and for with that this these those from are was were has have had its it's will"
                  + " would can could which who when where then than there here into also but our"
                  + " you they them their been being does did done about over out")
              .split(" "));

  /** Maximum number of characters at the beginning of each text that are compared and marked. */
  private static final int MAX_TEXT = 100_000;

  /**
   * Minimum number of words of a text that repeats another. Shorter texts may have only a template
   * in common.
   */
  private static final int REPEATED_WORDS = 12;

  /** Number of successive words that are compared together to find a repetition. */
  private static final int RUN = 4;

  /** Minimum share of a text's sequences of {@link #RUN} words that the other text has, too. */
  private static final double REPEATED_RUNS = 0.8;

  /**
   * Maximum ratio of the lengths of both texts, in words. Above this ratio, only a small part of
   * the longer text is a repetition.
   */
  private static final int LONGER = 3;

  /** A piece of a text; {@code own} is true if the other text lacks the piece. */
  public record Stretch(String text, boolean own) {}

  /** Returns an object that finds, in any text, the words that {@code other} lacks. */
  public static WordDifference besides(String other) {
    return new WordDifference(new HashSet<>(stems(other)));
  }

  /**
   * Whether one of two texts repeats the other. The repeating text must have no word that the other
   * text lacks, and nearly all its sequences of words must be in the other text. The limits in this
   * class were chosen on public notes, see {@code insight/src/judge/README.md}.
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
    return IntStream.rangeClosed(0, stems.size() - RUN)
        .mapToObj(i -> stems.subList(i, i + RUN))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** Does the same as {@link #mark}, but marks nothing if more than half would be marked. */
  public List<Stretch> markUpToHalf(String text) {
    List<Stretch> stretches = mark(text);
    int own = stretches.stream().filter(Stretch::own).mapToInt(one -> one.text().length()).sum();
    return own > text.length() / 2 ? List.of(new Stretch(text, false)) : stretches;
  }

  /** Returns the text in pieces. Successive words that the other text lacks are one piece. */
  List<Stretch> mark(String text) {
    List<int[]> own = new ArrayList<>(); // begin and end of each piece that the other text lacks
    for (Matcher word = WORD.matcher(begin(text)); word.find(); ) {
      if (isOwn(word.group())) {
        if (!own.isEmpty() && text.substring(own.getLast()[1], word.start()).equals(" ")) {
          own.getLast()[1] = word.end();
        } else {
          own.add(new int[] {word.start(), word.end()});
        }
      }
    }
    List<Stretch> stretches = new ArrayList<>();
    int written = 0;
    for (int[] piece : own) {
      if (written < piece[0]) {
        stretches.add(new Stretch(text.substring(written, piece[0]), false));
      }
      stretches.add(new Stretch(text.substring(piece[0], piece[1]), true));
      written = piece[1];
    }
    if (written < text.length() || stretches.isEmpty()) {
      stretches.add(new Stretch(text.substring(written), false));
    }
    return stretches;
  }

  /** Returns the words that the other text lacks, each once, in the order of the text. */
  public List<String> list(String text) {
    Map<String, String> words = new LinkedHashMap<>();
    for (Matcher word = WORD.matcher(begin(text)); word.find(); ) {
      if (isOwn(word.group())) {
        words.putIfAbsent(stem(word.group()), word.group());
      }
    }
    return List.copyOf(words.values());
  }

  private boolean isOwn(String word) {
    return (word.length() >= SHORT || Character.isDigit(word.charAt(0)))
        && !others.contains(stem(word))
        && !FILLERS.contains(word.toLowerCase(Locale.ROOT));
  }

  public static String begin(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }

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
