package dev.helixbg.insight.lessons;

import dev.helixbg.insight.judge.ProposedText;
import dev.helixbg.insight.judge.WordRepetition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks a lesson that a model wrote for an entry. The lesson must have a suitable length, and
 * contain no names or numbers except those of the entry. It must not copy the entry, because copied
 * words are about the entry's subject, and equal lessons of different subjects would not look
 * similar.
 */
public final class LessonText {
  private static final int LEAST_WORDS = 4;
  private static final int MOST_WORDS = 32;
  private static final int MOST_CHARACTERS = 240;

  /** Maximum share of a lesson's four-word sequences that may also occur in the entry. */
  private static final double COPIED = 0.5;

  private static final int RUN = 4;

  private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,:]\\d+)*");

  /** A word, or a name with its punctuation: an identifier, a path or an address. */
  private static final Pattern TOKEN = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{N}_./@#:-]*");

  /**
   * A word with a capital after a small letter, with two capitals in a row, or with a sign such as
   * an underscore.
   */
  private static final Pattern IDENTIFIER =
      Pattern.compile(".*(?:\\p{Ll}\\p{Lu}|\\p{Lu}{2}|[_/@#]|[.:]\\p{L}).*");

  private LessonText() {}

  /** Returns the lesson in a model's answer about an entry; empty if the lesson fails a check. */
  public static Optional<String> of(String answer, String topic, String content) {
    String entry = topic + "\n" + content;
    String text = ProposedText.bare(answer, List.of(entry));
    List<String> words = WordRepetition.of(text);
    boolean sound =
        words.size() >= LEAST_WORDS
            && words.size() <= MOST_WORDS
            && text.length() <= MOST_CHARACTERS
            && text.chars().noneMatch(Character::isISOControl)
            && !text.contains("<|")
            && !text.contains("<think>")
            && !text.endsWith("…")
            && WordRepetition.loops(text).isEmpty()
            && numbers(entry).containsAll(numbers(text))
            && names(text).stream().allMatch(saidIn(entry)::contains)
            && copied(words, WordRepetition.of(content)) <= COPIED;
    return sound ? Optional.of(text) : Optional.empty();
  }

  private static Set<String> numbers(String text) {
    return NUMBER.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }

  /** Returns identifiers, and capitalised words that do not begin a sentence, all in lower case. */
  private static List<String> names(String text) {
    List<String> names = new ArrayList<>();
    Matcher token = TOKEN.matcher(text);
    int end = -1;
    while (token.find()) {
      String word = token.group().replaceAll("[.:/-]+$", "");
      String before = end < 0 ? "." : text.substring(end, token.start());
      boolean begins = before.matches("(?s).*[.:;!?\"“„(].*");
      boolean capital = !begins && word.length() > 1 && Character.isUpperCase(word.charAt(0));
      if (capital || IDENTIFIER.matcher(word).matches()) {
        names.add(word.toLowerCase(Locale.ROOT));
      }
      end = token.start() + word.length();
    }
    return names;
  }

  private static Set<String> saidIn(String entry) {
    Set<String> said = new HashSet<>(WordRepetition.of(entry));
    TOKEN
        .matcher(entry.toLowerCase(Locale.ROOT))
        .results()
        .forEach(found -> said.add(found.group().replaceAll("[.:/-]+$", "")));
    return said;
  }

  /** Returns the share of a lesson's four-word sequences that also occur in the entry. */
  private static double copied(List<String> words, List<String> entry) {
    Set<List<String>> runs = new HashSet<>();
    for (int from = 0; from + RUN <= entry.size(); from++) {
      runs.add(entry.subList(from, from + RUN));
    }
    int all = words.size() - RUN + 1;
    int known = 0;
    for (int from = 0; from < all; from++) {
      known += runs.contains(words.subList(from, from + RUN)) ? 1 : 0;
    }
    return (double) known / all;
  }
}
