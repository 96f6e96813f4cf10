package dev.helixbg.insight.pairs;

import dev.helixbg.insight.terms.Terms;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Points on which two similar texts disagree: numbers and versions, identifiers, and negation.
 * Small models often miss such points. A disagreement only prevents a verdict. It does not prove
 * that the meanings differ, because the same fact can be stated with other numbers.
 *
 * <p>Texts disagree in numbers or identifiers if each text has a number or identifier that the
 * other text lacks. If only one text has such a number or identifier, it merely has an additional
 * detail. Texts disagree in a negation if one text negates a word that the other affirms.
 */
public final class PairDisagreement {
  /** Characters that people write as a minus sign, for use in a character class of a pattern. */
  static final String MINUS = "-‐‑–—−";

  private static final Pattern NUMBER =
      Pattern.compile("(?:(?<![\\p{L}\\p{N}).%%])[%s])?\\d+(?:[.,:]\\d+)*".formatted(MINUS));
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_'’]+");

  /** A possible identifier; {@link #PECULIAR} decides whether it is one. */
  private static final Pattern IDENTIFIER =
      Pattern.compile("(?<![\\p{L}\\p{N}_])-{0,2}[\\p{L}_][\\p{L}\\p{N}_.\\-/]*[\\p{L}\\p{N}_]");

  private static final Pattern PECULIAR =
      Pattern.compile("_|^--|/|\\p{Ll}\\p{Lu}|[\\p{L}\\p{N}]\\.[\\p{L}\\p{N}]|\\p{L}\\d|\\d\\p{L}");

  static final Map<String, String> NUMBER_WORDS =
      Pattern.compile(" ")
          .splitAsStream(
              "zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10"
                  + " eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16"
                  + " seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fifty=50"
                  + " sixty=60 seventy=70 eighty=80 ninety=90 hundred=100 thousand=1000"
                  + " million=1000000")
          .map(word -> word.split("="))
          .collect(Collectors.toMap(word -> word[0], word -> word[1]));

  private static final Pattern NEGATION =
      Pattern.compile(
          "not|never|without|cannot|no|\\p{L}+n['’]t|nicht|nie|ohne|kein\\p{L}*|ne|sans|jamais|sin|nunca");

  /** Beginning of an instruction to do something. */
  private static final Pattern ASKS = beginning("always|must|immer|toujours|siempre", "总是|必须");

  /** Beginning of an instruction not to do something. */
  private static final Pattern FORBIDS =
      beginning("never|avoid|no|do\\s+not|don['’]t|nie(?:mals)?|jamais|nunca", "禁止|不要|切勿");

  /** Words that may stand between a negation and the negated word. */
  private static final Set<String> BETWEEN =
      Set.of(
          ("a an the be been to it is are was we you they any of in on for at by only yet so that"
                  + " this have has had do does did will would can could should must more longer")
              .split(" "));

  /** Number of words after a negation that may be the negated word. */
  private static final int REACH = 3;

  /** Words that a text negates, and words that it affirms. */
  private record Said(Set<String> denied, Set<String> plain) {}

  private PairDisagreement() {}

  /**
   * Returns a pattern for texts that have one of the given words among their first three words.
   *
   * @param words words that count only if no letter follows them
   * @param unspaced words of writing systems without blanks between words
   */
  private static Pattern beginning(String words, String unspaced) {
    return Pattern.compile(
        "(?iu)(?:[^\\p{L}]*\\p{L}+){0,2}?[^\\p{L}]*(?:(?:%s)(?!\\p{L})|%s)"
            .formatted(words, unspaced));
  }

  /** Returns the disagreement, such as {@code numbers: 9, 8}; empty if the texts agree. */
  public static Optional<String> of(String one, String other) {
    String a = WordDifference.begin(one);
    String b = WordDifference.begin(other);
    return ofNames(a, b).or(() -> negated(said(a), said(b)).or(() -> negated(said(b), said(a))));
  }

  /** Whether one text negates or forbids what the other affirms or asks for. */
  public static boolean areOpposed(String one, String other) {
    Said a = said(WordDifference.begin(one));
    Said b = said(WordDifference.begin(other));
    return negated(a, b).isPresent()
        || negated(b, a).isPresent()
        || ASKS.matcher(one).lookingAt() && FORBIDS.matcher(other).lookingAt()
        || FORBIDS.matcher(one).lookingAt() && ASKS.matcher(other).lookingAt();
  }

  /** Returns a disagreement in numbers, versions or identifiers; negations are not compared. */
  static Optional<String> ofNames(String one, String other) {
    String a = WordDifference.begin(one);
    String b = WordDifference.begin(other);
    return apart("numbers", numbers(a), numbers(b))
        .or(() -> apart("identifiers", identifiers(a), identifiers(b)));
  }

  private static Optional<String> apart(String what, Set<String> a, Set<String> b) {
    Optional<String> one = a.stream().filter(name -> !b.contains(name)).findFirst();
    Optional<String> other = b.stream().filter(name -> !a.contains(name)).findFirst();
    return one.isPresent() && other.isPresent()
        ? Optional.of(what + ": " + one.get() + ", " + other.get())
        : Optional.empty();
  }

  private static Set<String> numbers(String text) {
    return Stream.concat(
            NUMBER
                .matcher(text)
                .results()
                .map(found -> found.group().replaceFirst("^[%s]".formatted(MINUS), "-"))
                .map(number -> number.replaceAll(",(?=\\d{3}(?!\\d))", "")),
            words(text).stream().filter(NUMBER_WORDS::containsKey).map(NUMBER_WORDS::get))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> identifiers(String text) {
    return IDENTIFIER
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(found -> PECULIAR.matcher(found).find())
        .map(found -> found.toLowerCase(Locale.ROOT))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Optional<String> negated(Said one, Said other) {
    return one.denied.stream()
        .filter(word -> !one.plain.contains(word))
        .filter(word -> other.plain.contains(word) && !other.denied.contains(word))
        .findFirst()
        .map(word -> "only one text negates: " + word);
  }

  private static Said said(String text) {
    List<String> words = words(text);
    boolean[] isDenied = new boolean[words.size()];
    for (int i = 0; i < words.size(); i++) {
      if (NEGATION.matcher(words.get(i)).matches()) {
        IntStream.range(i + 1, Math.min(words.size(), i + 1 + REACH))
            .filter(at -> !BETWEEN.contains(words.get(at)))
            .filter(at -> !NEGATION.matcher(words.get(at)).matches())
            .findFirst()
            .ifPresent(at -> isDenied[at] = true);
      }
    }
    Said said = new Said(new TreeSet<>(), new TreeSet<>());
    for (int i = 0; i < words.size(); i++) {
      (isDenied[i] ? said.denied : said.plain).add(stem(words.get(i)));
    }
    return said;
  }

  private static List<String> words(String text) {
    return WORD.matcher(text)
        .results()
        .map(found -> found.group().toLowerCase(Locale.ROOT))
        .toList();
  }

  /**
   * Returns the stem of a word. Unlike {@link Terms#stem}, it finds the right stem of
   * <i>entries</i>.
   */
  private static String stem(String word) {
    return word.length() > "ties".length() && word.endsWith("ies")
        ? word.substring(0, word.length() - "ies".length()) + "y"
        : Terms.stem(word);
  }
}
