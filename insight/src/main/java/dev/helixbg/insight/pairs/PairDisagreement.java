package dev.helixbg.insight.pairs;

import dev.helixbg.insight.notes.NotesLog;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
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

  /** Beginning of an instruction not to do something, or of a heading over such instructions. */
  private static final Pattern FORBIDS =
      beginning(
          NotesLog.FORBIDDING + "|no|refrain\\s+from|stop(?=\\s+\\p{L}+ing)",
          NotesLog.FORBIDDING_UNSPACED);

  /** A heading such as <i>Common mistakes</i> before a description, which forbids nothing. */
  private static final Pattern DESCRIBES =
      Pattern.compile(
          "(?i)[^:]{0,60}(?:mistakes|deprecated)[^:]{0,60}: (?:the|an?|this|\\p{L}+ing)\\b");

  private static final Pattern Y_ENDING = Pattern.compile("ie[sd]$");
  private static final Pattern ENDING = Pattern.compile("(?<=\\p{L}{2})(?:ing|ed|e?s)$");

  /** The vowel at the end of a stem, or the second of two equal consonants. */
  private static final Pattern STEM_END =
      Pattern.compile("(?<=\\p{L}{2})(?:[aeoéаоы]+|(?<=(\\p{L}))\\1)$");

  /**
   * Words that oppose each other; the keys are their stems ({@link #stem}). Each line of the text
   * below has two sides. The value of a word is the number of its line, negative for the second
   * side. Words such as <i>before</i> and <i>after</i> are missing, because <i>A before B</i> means
   * <i>B after A</i>.
   */
  private static final Map<String, Integer> SIDES =
      sides(
          """
          enable activate / disable deactivate
          allow allowed permit / disallow forbid forbidden deny denied block prohibit
          include / exclude
          increase raise / decrease reduce
          public publicly / private privately
          accept / reject
          show visible / hide hidden
          required mandatory / optional
          keep / drop discard
          manual manually / automatic automatically
          synchronous synchronously / asynchronous asynchronously
          internal internally / external externally
          inside / outside
          reachable / unreachable
          encrypted / unencrypted
          online / offline
          upgrade / downgrade
          ascending / descending
          true / false
          aktiviert aktivieren eingeschaltet / deaktiviert deaktivieren ausgeschaltet abgeschaltet
          erlaubt zulässig / verboten unzulässig untersagt
          öffentlich / privat
          erhöhen erhöht / senken gesenkt
          manuell / automatisch
          activé activer / désactivé désactiver
          autorisé permis / interdit
          publique / privé
          inclure inclus / exclure exclu
          augmenter / diminuer réduire
          activado habilitado ativado activar habilitar ativar / desactivado deshabilitado \
          desativado desabilitado desactivar deshabilitar desativar desabilitar
          permitido / prohibido proibido
          público / privado
          incluir / excluir
          aumentar / reducir reduzir
          включен включён включить / выключен выключён выключить отключен отключён отключить
          разрешен разрешён разрешено / запрещен запрещён запрещено
          """);

  /** Words that may stand between a negation and the negated word. */
  private static final Set<String> BETWEEN =
      Set.of(
          ("a an the be been to it is are was we you they any of in on for at by only yet so that"
                  + " this have has had do does did will would can could should must more longer"
                  + " de du des la le les el los las os das die der den zu")
              .split(" "));

  /** Verbs that count as the negated word only if there is no other candidate. */
  private static final Set<String> LIGHT =
      Set.of("use uses used using verwenden benutzen utiliser usar".split(" "));

  /** Second words of a double negation: <i>never commit without tests</i> demands tests. */
  private static final Set<String> SECOND = Set.of("without", "unless", "until");

  /** Maximum number of words between the two words of a double negation. */
  private static final int DOUBLE = 4;

  /** Number of words after a negation that are searched for the negated word. */
  private static final int REACH = 3;

  /** Words that a text negates, and words that it affirms, by their stems. */
  private record Said(Map<String, String> denied, Map<String, String> plain) {
    boolean has(int side) {
      return Stream.of(denied, plain)
          .flatMap(all -> all.keySet().stream())
          .anyMatch(one -> SIDES.getOrDefault(one, 0) == side);
    }
  }

  private PairDisagreement() {}

  /**
   * Returns a pattern for texts that have one of the given words among their first three words.
   *
   * @param words words that count only as whole words
   * @param unspaced words of writing systems without blanks between words; they may also be inside
   *     the first or second run of letters
   */
  private static Pattern beginning(String words, String unspaced) {
    String first = "(?iu)(?:[^\\p{L}]*+\\p{L}++){0,2}?[^\\p{L}]*+(?:(?:%s)(?!\\p{L})|%s)";
    String within = "(?:[^\\p{L}]*+\\p{L}++)??[^\\p{L}]*+\\p{L}+?(?:%s)";
    return Pattern.compile((first + "|" + within).formatted(words, unspaced, unspaced));
  }

  /** Returns the disagreement, such as {@code numbers: 9, 8}; empty if the texts agree. */
  public static Optional<String> of(String one, String other) {
    return ofNames(one, other).or(() -> negation(said(one), said(other)));
  }

  /** Returns how one text negates, forbids or reverses what the other says or asks for. */
  public static Optional<String> opposition(String one, String other) {
    Said a = plainly(one);
    Said b = plainly(other);
    return reversal(one, other, a, b).or(() -> negation(a, b));
  }

  /** Returns an {@link #opposition} of this kind: only one of the texts negates a certain word. */
  static Optional<String> negation(String one, String other) {
    return negation(plainly(one), plainly(other));
  }

  /** Returns an {@link #opposition} other than the negation of a single word. */
  static Optional<String> reversal(String one, String other) {
    return reversal(one, other, plainly(one), plainly(other));
  }

  private static Optional<String> reversal(String one, String other, Said a, Said b) {
    return reversed(a, b).or(() -> forbidden(one, other)).or(() -> forbidden(other, one));
  }

  /** Returns what a text says; a forbidding beginning like <i>avoid</i> becomes <i>never</i>. */
  private static Said plainly(String text) {
    Matcher forbids = FORBIDS.matcher(text);
    return said(
        forbids.lookingAt() && !DESCRIBES.matcher(text).lookingAt()
            ? "never " + text.substring(forbids.end())
            : text);
  }

  private static Optional<String> forbidden(String one, String other) {
    return FORBIDS.matcher(one).lookingAt()
            && ASKS.matcher(other).lookingAt()
            && Collections.disjoint(plainly(one).denied.keySet(), said(other).denied.keySet())
        ? Optional.of("only one text forbids")
        : Optional.empty();
  }

  private static Optional<String> reversed(Said one, Said other) {
    return one.plain.keySet().stream()
        .filter(SIDES::containsKey)
        .filter(word -> !one.has(-SIDES.get(word)) && !other.has(SIDES.get(word)))
        .flatMap(
            word ->
                other.plain.keySet().stream()
                    .filter(opposed -> SIDES.getOrDefault(opposed, 0) == -SIDES.get(word))
                    .map(opposed -> one.plain.get(word) + ", " + other.plain.get(opposed)))
        .findFirst()
        .map("words: "::concat);
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

  private static Optional<String> negation(Said one, Said other) {
    return negated(one, other).or(() -> negated(other, one));
  }

  private static Optional<String> negated(Said one, Said other) {
    return one.denied.keySet().stream()
        .filter(word -> !one.plain.containsKey(word))
        .filter(word -> other.plain.containsKey(word) && !other.denied.containsKey(word))
        .findFirst()
        .map(word -> "only one text negates: " + one.denied.get(word));
  }

  static boolean negates(String word) {
    return NEGATION.matcher(word).matches();
  }

  private static Said said(String text) {
    List<String> words = words(WordDifference.begin(text));
    boolean[] isDenied = new boolean[words.size()];
    for (int i = 0; i < words.size(); i++) {
      if (negates(words.get(i)) && !isDouble(words, i)) {
        IntStream.range(i + 1, Math.min(words.size(), i + 1 + REACH))
            .filter(at -> !BETWEEN.contains(words.get(at)))
            .filter(at -> !negates(words.get(at)))
            .boxed()
            .min(Comparator.comparing(at -> LIGHT.contains(words.get(at))))
            .ifPresent(at -> isDenied[at] = true);
      }
    }
    Said said = new Said(new TreeMap<>(), new TreeMap<>());
    for (int i = 0; i < words.size(); i++) {
      (isDenied[i] ? said.denied : said.plain).putIfAbsent(stem(words.get(i)), words.get(i));
    }
    return said;
  }

  /** Whether a negation is part of a double negation, as in <em>never commit without tests</em>. */
  private static boolean isDouble(List<String> words, int at) {
    boolean isSecond = SECOND.contains(words.get(at));
    return isSecond
        ? words.subList(Math.max(0, at - DOUBLE), at).stream()
            .anyMatch(word -> negates(word) && !SECOND.contains(word))
        : words.subList(at + 1, Math.min(words.size(), at + 1 + DOUBLE)).stream()
            .anyMatch(SECOND::contains);
  }

  private static List<String> words(String text) {
    return WORD.matcher(text)
        .results()
        .map(found -> found.group().toLowerCase(Locale.ROOT))
        .toList();
  }

  private static Map<String, Integer> sides(String lines) {
    Map<String, Integer> sides = new HashMap<>();
    List<String> all = lines.lines().toList();
    for (int i = 1; i <= all.size(); i++) {
      String[] both = all.get(i - 1).split(" / ");
      for (int side = 0; side < both.length; side++) {
        for (String word : both[side].split(" ")) {
          sides.put(stem(word), side == 0 ? i : -i);
        }
      }
    }
    return sides;
  }

  /**
   * Returns the stem of a word: the same text for <i>enable</i>, <i>enabled</i> and
   * <i>enabling</i>, for <i>stop</i> and <i>stopping</i>, and for <i>activé</i> and
   * <i>activées</i>.
   */
  static String stem(String word) {
    String stem = word.length() > "ties".length() ? Y_ENDING.matcher(word).replaceFirst("y") : word;
    return STEM_END.matcher(ENDING.matcher(stem).replaceFirst("")).replaceFirst("");
  }
}
