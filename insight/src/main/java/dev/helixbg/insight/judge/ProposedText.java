package dev.helixbg.insight.judge;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks the text that a model proposes for several entries, and removes what surrounds the text,
 * such as quotation marks. Some errors of a small model can be found without understanding the
 * text: repetition, a copy of the question, a lost number or a new number.
 */
public final class ProposedText {
  /** Minimum share of the text's words that also occur in the entries. */
  private static final double FAMILIAR = 1.0 / 3;

  /** Minimum length as a share of the longest entry's length; a shorter text has lost details. */
  private static final double SHORTEST = 1.0 / 3;

  private static final String THOUGHT_END = "</think>";
  private static final Pattern LABEL =
      Pattern.compile(
          "^(?:(?:merged )?(?:entry|text|note|answer|lesson)|merged|[A-F]):\\s+",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern LETTERED = Pattern.compile("(?m)^[A-F]: ");
  private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,:]\\d+)*");

  private static final Pattern FENCE = Pattern.compile("(?s)^```[^\\n]*\\n(.*?)\\n?```$");
  private static final String QUOTES = "\"\"''``“”„“‘’«»";

  private ProposedText() {}

  /** Returns the text; empty if it is unusable. {@code sources} are whole contents of entries. */
  static Optional<String> of(String answer, List<String> sources) {
    String text = bare(answer, sources);
    boolean sound =
        !text.isEmpty()
            && !text.contains("<|")
            && !text.contains("<think>")
            && (!LETTERED.matcher(text).find() || anyMatches(LETTERED, sources))
            && isOfLength(text, sources)
            && !goesInCircles(text, sources)
            && isFamiliar(text, sources)
            && numbers(List.of(text)).equals(numbers(sources));
    return sound ? Optional.of(text) : Optional.empty();
  }

  /**
   * Removes the model's thoughts, and quotation marks around the answer. Also removes a Markdown
   * fence, and a label such as {@code Answer:} at the beginning, unless a text of {@code sources}
   * has one.
   */
  public static String bare(String answer, List<String> sources) {
    int thought = answer.lastIndexOf(THOUGHT_END);
    String text = (thought < 0 ? answer : answer.substring(thought + THOUGHT_END.length())).strip();
    Matcher fence = FENCE.matcher(text);
    if (fence.find() && !anyMatches(FENCE, sources)) {
      text = fence.group(1).strip();
    }
    if (!anyMatches(LABEL, sources)) {
      text = LABEL.matcher(text).replaceFirst("");
    }
    for (int i = 0; i < QUOTES.length(); i += 2) {
      boolean quoted =
          text.length() > 1
              && text.charAt(0) == QUOTES.charAt(i)
              && text.indexOf(QUOTES.charAt(i + 1), 1) == text.length() - 1;
      if (quoted) {
        text = text.substring(1, text.length() - 1).strip();
      }
    }
    return text;
  }

  private static boolean anyMatches(Pattern pattern, List<String> sources) {
    return sources.stream().anyMatch(source -> pattern.matcher(source).find());
  }

  private static boolean isOfLength(String text, List<String> sources) {
    int longest = sources.stream().mapToInt(String::length).max().orElse(0);
    int all = sources.stream().mapToInt(String::length).sum();
    return text.length() >= SHORTEST * longest && text.length() <= all;
  }

  private static boolean goesInCircles(String text, List<String> sources) {
    Set<List<String>> quoted = new HashSet<>();
    sources.forEach(source -> quoted.addAll(WordRepetition.loops(source)));
    return !quoted.containsAll(WordRepetition.loops(text));
  }

  private static boolean isFamiliar(String text, List<String> sources) {
    Set<String> known = new HashSet<>();
    sources.forEach(source -> known.addAll(WordRepetition.of(source)));
    List<String> words = WordRepetition.of(text);
    long familiar = words.stream().filter(known::contains).count();
    return familiar >= FAMILIAR * words.size();
  }

  private static Set<String> numbers(List<String> texts) {
    return texts.stream()
        .flatMap(text -> NUMBER.matcher(text).results())
        .map(found -> found.group())
        .collect(Collectors.toSet());
  }
}
