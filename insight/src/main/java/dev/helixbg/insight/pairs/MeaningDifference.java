package dev.helixbg.insight.pairs;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.log.Script;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The difference in meaning between two whole texts. A difference only prevents the verdict that
 * the texts are the same. It does not prove that their meanings differ, because the same fact can
 * be stated with other numbers.
 *
 * <p>Unicode forms, white space, case and markup make no difference. In English texts with similar
 * wording, every word except function words is compared. In English texts with different wording,
 * only numbers, identifiers, names, and words that negate, oblige or quantify are compared, because
 * only a model understands the other words. In other languages, every word is compared.
 *
 * @param words the difference, such as {@code numbers: 9, 8}; empty for texts with the same meaning
 * @param edit whether the texts differ but have similar wording
 * @param objection a reason not to call the texts the same: numbers or identifiers differ, one text
 *     opposes the other, or each of two texts with similar wording has a word of its own. A text
 *     that only says more is not an objection
 * @param certain whether the difference is certain. It is certain if the wording is similar, if the
 *     texts are not English, if numbers or identifiers differ, or if words or their order oppose
 *     each other. The negation of a word in one of two texts with different wording is not certain,
 *     because it may belong to another statement
 */
public record MeaningDifference(
    Optional<String> words, boolean edit, Optional<String> objection, boolean certain) {
  /**
   * Maximum number of tokens of a text that are aligned. Equal tokens at the beginnings and at the
   * ends of both texts are not counted.
   */
  private static final int ALIGNED = 2_000;

  /**
   * Minimum share of the tokens of both texts that occur in the same order, for the texts to have
   * similar wording.
   */
  private static final double ALIKE = 0.6;

  /** Minimum number of additional words in one text at which they count as a clause. */
  private static final int CLAUSE = 4;

  /**
   * A text counts as English if at least this share of its words is in {@link #ENGLISH_WORDS} or
   * {@link #SHARED_WORDS}.
   */
  private static final double ENGLISH = 0.1;

  private static final String MARKUP = "[*`_\"'”’]{0,3}";

  /**
   * Matches a position that does not follow a word, number, closing bracket, dot, percent sign or
   * degree sign. Markup before the position is ignored.
   */
  private static final String FREE = "(?<![\\p{L}\\p{N}\\p{M})\\].%%°]%s)".formatted(MARKUP);

  /** Sign of a range, date or fraction between two numbers. The first number can have a unit. */
  private static final String RANGE =
      "[%2$s~〜/](?<=\\p{Nd}(?:\\p{L}{0,2}|[%%°])%1$s\\s{0,2}.)(?=\\s{0,2}%1$s\\p{Nd})"
          .formatted(MARKUP, PairDisagreement.MINUS);

  /**
   * Characters that are signs with a meaning only in certain places; elsewhere, they are markup or
   * punctuation. Such signs are {@code ~} before a number or path, the dots or the slash at the
   * beginning of a path, a slash between blanks, and the stars in products, schedules and file
   * patterns. A hyphen between blanks is not a sign, because it is usually a dash.
   */
  private static final String SIGNS_BY_PLACE =
      "~~|%1$s~(?=[\\p{L}\\p{N}/])|%1$s\\.{1,2}(?=/)|%1$s(?<!/)/(?![/>])".formatted(FREE)
          + "|(?<![^\\s`])\\*(?![^\\s`])|(?<=/\\*?)\\*|\\*(?=\\.\\w)|!(?=[\\w=(])"
          // in **/etc/hosts**, the stars are markup
          + "|%s\\*(?=\\*?/(?![^*\n]*[^\\s*/]\\*))".formatted(FREE)
          // `[]`, `_flush`, `*args`, `class_`, `save!`, a || b, the grade A-
          + "|%s(?:\\[]|\\{}|\\(\\))".formatted(FREE)
          + "|(?<=`)[*_]+(?=\\w)|(?<=\\w)[_!]+(?=[`(])|\\|\\||(?<=\\b\\p{Lu})-(?![\\p{L}\\p{N}])";

  /**
   * A token: a number with its sign, an option of one letter, a character of a writing system
   * without spaces, a word, or a sign with a meaning. Markup of headings, lists, quotes, tables and
   * emphasis is not a token.
   */
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?m:^[ \\t]*(?:>[ \\t]*|#+[ \\t]|=+$|\\+[ \\t]|[*-](?:[ \\t]|$))+)"
              + "|(?<number>(?:%1$s[%2$s+])?(?:%1$s\\.)?\\p{Nd}+(?:[.,:]\\p{Nd}+)*)"
                  .formatted(FREE, PairDisagreement.MINUS)
              + "|(?<option>%1$s-[A-Za-z](?![\\p{L}\\p{M}\\p{N}]))".formatted(FREE)
              + "|(?<word>%1$s\\p{M}*|(?:(?!%1$s)[\\p{L}\\p{M}\\p{N}]|_(?=[\\p{L}\\p{N}])(?<=[\\p{L}\\p{N}]_))+)"
                  .formatted(Script.WITHOUT_SPACES)
              + "|(?<sign>(?<range>%s)|%s|[\\p{Sm}\\p{Sc}\\p{So}%%&@?#^\\\\&&[^|~]])"
                  .formatted(RANGE, SIGNS_BY_PLACE));

  /** A word that has the form of an identifier. */
  private static final Pattern PECULIAR =
      Pattern.compile("_|\\p{Ll}\\p{Lu}|\\p{L}\\p{N}|\\p{N}\\p{L}");

  /** A character between the parts of a path, an address or an option. */
  private static final String JOINT = MARKUP + "([._/:@=\\\\])" + MARKUP;

  private static final Pattern JOINED = Pattern.compile(JOINT + "(?=[\\p{L}\\p{N}])");
  private static final Pattern AFTER_JOINT = Pattern.compile("(?<=[\\p{L}\\p{N}]" + JOINT + ")");

  private static final Pattern NAME =
      Pattern.compile("[\\p{L}\\p{M}\\p{N}._/:@=\\\\-]+(?<=[\\p{L}\\p{N}])");

  private static final Pattern CODE = Pattern.compile("(`+)[^`]+\\1");

  /** A unit of data that differs from another unit only in case, such as Gb and GB. */
  private static final Pattern UNIT = Pattern.compile("[kKMGTP]i?(?:b|bps|Bps)");

  /** Letters that keep their case, because other letters have the same upper case, SS or I. */
  private static final Pattern UNFOLDED = Pattern.compile("[ßẞı]");

  private static final Set<String> FUNCTION_WORDS =
      words(
          "a an the this that these those is are be been being it its of do does which so then"
              + " there also to for s");

  private static final Set<String> ENGLISH_WORDS =
      words(
          "the and with that this are not from when which its you must after them there then they"
              + " their were been can would should does did what if into than");

  /** English words that Danish, Dutch, French or Spanish have, too. */
  private static final Set<String> SHARED_WORDS = words("is it to of for by be have has but");

  /** Words that change a statement instead of adding to it: something ended or is limited. */
  private static final Set<String> LIMITS =
      words(
          "was were till until formerly previously except unless only least most some few half once"
              + " twice sometimes rarely hardly barely almost nearly partly other second third next"
              + " business working planned");

  /** Words that give order a meaning: <em>A before B</em> is not <em>B before A</em>. */
  private static final Set<String> DIRECTED = words("before after over than instead until");

  /** Groups of words. Two texts with different words of one group are opposed. */
  private static final List<Set<String>> OPPOSED =
      List.of(
          words("must shall should may might can could needs need would will"),
          words("all every each any some many few most several both half only"),
          words("always sometimes often rarely usually once twice"),
          words("before after until since during unless except if"),
          words("on off up down above below over under left right"),
          words("monday tuesday wednesday thursday friday saturday sunday"),
          // may and march are also other words
          words("january february april june july august september october november december"),
          words("more less most least fewer higher lower longer shorter"));

  /**
   * A word, number, option or sign.
   *
   * @param key form of the token that is compared; tokens with the same meaning have equal keys
   * @param name whether the token is written like a name: with a capital letter, but not at the
   *     beginning of a sentence
   */
  private record Token(String key, String text, Kind kind, boolean name) {}

  private enum Kind {
    NUMBER,
    IDENTIFIER,
    WORD,
    SIGN;

    private final String plural = name().toLowerCase(Locale.ROOT) + "s";
  }

  private static final MeaningDifference NONE =
      new MeaningDifference(Optional.empty(), false, Optional.empty(), false);

  private static Set<String> words(String list) {
    return Set.of(list.split(" "));
  }

  /** Whether two texts differ only in Unicode forms, white space, case and markup. */
  public static boolean isNone(String one, String other) {
    return one.strip().equals(other.strip()) || isNone(tokens(one), tokens(other));
  }

  private static boolean isNone(List<Token> a, List<Token> b) {
    return !a.isEmpty() && keys(a).equals(keys(b));
  }

  private static List<String> keys(List<Token> tokens) {
    return tokens.stream().map(Token::key).toList();
  }

  /** Whether each list has a stem that the other lacks. */
  private static boolean haveOwnStems(List<Token> a, List<Token> b) {
    Set<String> one = stems(a);
    Set<String> other = stems(b);
    return !one.containsAll(other) && !other.containsAll(one);
  }

  private static Set<String> stems(List<Token> tokens) {
    return tokens.stream()
        .map(token -> PairDisagreement.stem(token.key))
        .collect(Collectors.toSet());
  }

  public static MeaningDifference of(String one, String other) {
    List<Token> a = tokens(one);
    List<Token> b = tokens(other);
    if (isNone(a, b)) {
      return NONE;
    }
    int begin = 0;
    while (begin < Math.min(a.size(), b.size()) && a.get(begin).key.equals(b.get(begin).key)) {
      begin++;
    }
    int end = 0;
    while (end < Math.min(a.size(), b.size()) - begin
        && a.get(a.size() - 1 - end).key.equals(b.get(b.size() - 1 - end).key)) {
      end++;
    }
    boolean english = areEnglish(a, b);
    List<Token> left = a.subList(begin, a.size() - end);
    List<Token> right = b.subList(begin, b.size() - end);
    if (Math.max(left.size(), right.size()) > ALIGNED) {
      Optional<String> large = Optional.of("large parts of both texts");
      return new MeaningDifference(large, false, large, true);
    }
    List<Token> onlyA = new ArrayList<>();
    List<Token> onlyB = new ArrayList<>();
    int aligned = begin + end + align(left, right, onlyA, onlyB);
    Predicate<Token> isForm = token -> english && FUNCTION_WORDS.contains(token.key);
    onlyA.removeIf(isForm);
    onlyB.removeIf(isForm);
    List<Token> ownA = without(onlyA, onlyB);
    List<Token> ownB = without(onlyB, onlyA);
    boolean alike = 2 * aligned >= ALIKE * (a.size() + b.size());
    boolean everyWord = alike || !english || ownA.isEmpty() && ownB.isEmpty();
    if (everyWord) {
      Optional<String> words =
          told(ownA, ownB).or(() -> told("order", onlyA.stream(), Stream.of()));
      Stream<String> own = Stream.concat(ownA.stream(), ownB.stream()).map(Token::key);
      boolean differ =
          ownA.isEmpty() && ownB.isEmpty()
              || alike
                  && (!english
                      || own.anyMatch(MeaningDifference::limits)
                      || areReversed(a, b)
                      || haveOwnStems(ownA, ownB));
      return new MeaningDifference(
          words,
          alike && words.isPresent(),
          differ
              ? words
              : PairDisagreement.ofNames(one, other)
                  .or(() -> PairDisagreement.opposition(one, other)),
          words.isPresent());
    }
    List<Token> restA = without(onlyA, b);
    List<Token> restB = without(onlyB, a);
    Optional<String> certain =
        PairDisagreement.ofNames(one, other)
            .or(() -> PairDisagreement.reversal(one, other))
            .or(() -> opposed(restA, restB, token -> token.key.matches("\\p{Sc}")))
            .or(() -> areReversed(a, b) ? Optional.of("order") : Optional.empty());
    Optional<String> objection = certain.or(() -> PairDisagreement.negation(one, other));
    Optional<String> words = objection.or(() -> opposed(restA, restB));
    return new MeaningDifference(words, false, objection, certain.isPresent());
  }

  /** Whether an additional word changes what a text says, and does not only add to it. */
  private static boolean limits(String word) {
    return PairDisagreement.negates(word) || LIMITS.contains(word);
  }

  /** Whether two texts differ only in order, as <em>A before B</em> and <em>B before A</em>. */
  private static boolean areReversed(List<Token> a, List<Token> b) {
    if (keys(a).stream().noneMatch(DIRECTED::contains)) {
      return false;
    }
    List<String> one = stemsInOrder(a);
    List<String> other = stemsInOrder(b);
    return !one.equals(other)
        && one.stream().sorted().toList().equals(other.stream().sorted().toList());
  }

  private static List<String> stemsInOrder(List<Token> tokens) {
    return tokens.stream()
        .map(Token::key)
        .filter(key -> !FUNCTION_WORDS.contains(key))
        .map(PairDisagreement::stem)
        .toList();
  }

  private static Optional<String> opposed(List<Token> a, List<Token> b) {
    if (Math.abs(a.size() - b.size()) >= Math.max(CLAUSE, Math.min(a.size(), b.size()))) {
      return told(a, b);
    }
    List<Predicate<Token>> all = new ArrayList<>(List.of(Token::name));
    OPPOSED.forEach(words -> all.add(token -> words.contains(token.key)));
    return all.stream().flatMap(one -> opposed(a, b, one).stream()).findFirst();
  }

  /** Returns how tokens that fulfil a condition differ; empty if either text has no such token. */
  private static Optional<String> opposed(List<Token> a, List<Token> b, Predicate<Token> one) {
    return a.stream().anyMatch(one) && b.stream().anyMatch(one)
        ? told(a.stream().filter(one).toList(), b.stream().filter(one).toList())
        : Optional.empty();
  }

  private static Optional<String> told(List<Token> a, List<Token> b) {
    return Stream.concat(a.stream(), b.stream())
        .map(Token::kind)
        .min(Enum::compareTo)
        .flatMap(
            kind ->
                told(
                    kind.plural,
                    a.stream().filter(token -> token.kind == kind),
                    b.stream().filter(token -> token.kind == kind)));
  }

  private static Optional<String> told(String what, Stream<Token> a, Stream<Token> b) {
    List<String> texts = Stream.concat(a.limit(1), b.limit(1)).map(Token::text).toList();
    return Optional.of(what + ": " + String.join(", ", texts)).filter(_ -> !texts.isEmpty());
  }

  /** Returns the tokens that {@code some} has more often than {@code others}. */
  private static List<Token> without(List<Token> some, List<Token> others) {
    Map<String, Integer> left = new HashMap<>();
    others.forEach(token -> left.merge(token.key, 1, Integer::sum));
    List<Token> own = new ArrayList<>(some);
    own.removeIf(token -> left.merge(token.key, -1, Integer::sum) >= 0);
    return own;
  }

  /**
   * Adds the tokens that only one list has to {@code onlyA} or {@code onlyB}. Returns the number of
   * tokens that are in the common order.
   */
  private static int align(List<Token> a, List<Token> b, List<Token> onlyA, List<Token> onlyB) {
    CommonOrder order = CommonOrder.of(keys(a), keys(b));
    int i = 0;
    int j = 0;
    for (int[] place : order.placesAndEnd()) {
      onlyA.addAll(a.subList(i, place[0]));
      onlyB.addAll(b.subList(j, place[1]));
      i = place[0] + 1;
      j = place[1] + 1;
    }
    return order.places().size();
  }

  private static boolean areEnglish(List<Token> a, List<Token> b) {
    return Stream.of(a, b).allMatch(MeaningDifference::mayBeEnglish)
        && Stream.of(a, b).anyMatch(one -> keys(one).stream().anyMatch(ENGLISH_WORDS::contains));
  }

  private static boolean mayBeEnglish(List<Token> tokens) {
    long words = tokens.stream().filter(token -> token.kind == Kind.WORD).count();
    long english =
        keys(tokens).stream()
            .filter(key -> ENGLISH_WORDS.contains(key) || SHARED_WORDS.contains(key))
            .count();
    return english > 0 && english >= ENGLISH * words;
  }

  private static List<Token> tokens(String text) {
    String normal = NormalForm.of(text);
    List<Token> tokens = new ArrayList<>();
    BitSet code = new BitSet();
    CODE.matcher(normal).results().forEach(span -> code.set(span.start(), span.end()));
    for (Matcher found = TOKEN.matcher(normal); found.find(); ) {
      String token = found.group();
      if (found.group("number") != null) {
        tokens.add(new Token(digits(token), token, Kind.NUMBER, false));
      } else if (found.group("option") != null) {
        tokens.add(new Token(token, token, Kind.IDENTIFIER, false));
      } else if (found.group("sign") != null) {
        boolean isDash = found.group("range") != null && !token.equals("/");
        tokens.add(new Token(isDash ? "-" : token, token, Kind.SIGN, false));
      } else if (found.group("word") != null) {
        word(normal, found, code.get(found.start()), tokens);
      }
    }
    return tokens;
  }

  private static String digits(String number) {
    StringBuilder digits = new StringBuilder();
    number
        .codePoints()
        .map(c -> Character.isDigit(c) ? '0' + Character.digit(c, 10) : c)
        .map(c -> PairDisagreement.MINUS.indexOf(c) >= 0 ? '-' : c)
        .forEach(digits::appendCodePoint);
    return digits.toString();
  }

  private static void word(String text, Matcher found, boolean isCode, List<Token> tokens) {
    String word = found.group();
    boolean isUnit =
        !tokens.isEmpty() && tokens.getLast().kind == Kind.NUMBER && UNIT.matcher(word).matches();
    String upper = UNFOLDED.matcher(word).find() ? word : word.toUpperCase(Locale.ROOT);
    String key = isUnit ? word : upper.toLowerCase(Locale.ROOT).replace("i\u0307", "i");
    Matcher joined = JOINED.matcher(text).region(found.end(), text.length());
    String joint = joined.lookingAt() ? joined.group(1) : "";
    Matcher parted =
        AFTER_JOINT.matcher(text).useTransparentBounds(true).region(found.start(), found.start());
    boolean afterApostrophe =
        found.start() > 1 && "'’".indexOf(text.charAt(found.start() - 1)) >= 0;
    if (key.equals("t") && afterApostrophe && !tokens.isEmpty()) {
      Token before = tokens.removeLast(); // the first part of isn't, can't or won't
      String verb = before.key.equals("won") ? "will" : before.key.replaceFirst("(?<!ca)n$", "");
      tokens.add(new Token(verb, before.text, Kind.WORD, false));
      tokens.add(new Token("not", before.text + "'t", Kind.WORD, false));
    } else if (key.equals("cannot")) {
      tokens.add(new Token("can", word, Kind.WORD, false));
      tokens.add(new Token("not", word, Kind.WORD, false));
    } else if (PairDisagreement.NUMBER_WORDS.containsKey(key)) {
      tokens.add(new Token(PairDisagreement.NUMBER_WORDS.get(key), word, Kind.NUMBER, false));
    } else if (PECULIAR.matcher(word).find()
        || isCode && !word.equals(key)
        || !joint.isEmpty()
        || parted.lookingAt()) {
      Matcher whole = NAME.matcher(text).region(found.start(), text.length());
      String shown = whole.lookingAt() ? whole.group() : word;
      tokens.add(new Token(word + joint, shown, Kind.IDENTIFIER, false));
    } else {
      boolean name = Character.isUpperCase(word.codePointAt(0)) && !begins(text, found.start());
      tokens.add(new Token(key, word, Kind.WORD, name));
    }
  }

  /** Whether a sentence or line begins at a place. */
  private static boolean begins(String text, int start) {
    int at = start - 1;
    while (at >= 0 && " \t*_`\"“„«#>-".indexOf(text.charAt(at)) >= 0) {
      at--;
    }
    return at < 0 || "\n.!?:".indexOf(text.charAt(at)) >= 0;
  }
}
