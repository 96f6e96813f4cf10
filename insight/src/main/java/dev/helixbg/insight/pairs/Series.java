package dev.helixbg.insight.pairs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides whether two texts belong to a series. Such texts have the same form, but different dates,
 * periods, instances, environments, hosts or versions in the title, the first sentence or the front
 * matter. A judge tends to call them the same, but both must be kept. The limits in this class were
 * chosen on the notes of this project, see {@code docs/findings.md}.
 */
final class Series {
  /** Maximum number of tokens of a text that are compared. */
  private static final int LONGEST = 400;

  /** Maximum number of tokens of a title or first sentence that are compared. */
  private static final int HEADING = 24;

  /** Maximum number of lines such as {@code host: web-01} after the title that are compared. */
  private static final int FIELDS = 6;

  /**
   * Maximum number of tokens of a title in which a number may be the number of an item. A longer
   * title counts as a sentence.
   */
  private static final int SHORT_TITLE = 8;

  /** Minimum share of the tokens of both headings that belong to the common order. */
  private static final double ALIKE = 0.75;

  /** Minimum share of the tokens of both whole texts that belong to the common order. */
  private static final double ONE_FORM = 0.4;

  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<date>\\b\\d{4}([-./])\\d{1,2}\\2\\d{1,2}\\b|\\b\\d{1,2}([./])\\d{1,2}\\3(?:\\d{4}|\\d{2})\\b"
              + "|\\b(?:19|20)\\d{2}-(?:\\d{2}|[Qq][1-4]|[Ww]\\d{1,2})\\b|\\b20\\d{2}(?:0\\d|1[0-2])[0-3]\\d\\b|\\b[Qq][1-4]\\b)"
              + "|(?<version>\\b[vV]\\d+(?:\\.\\d+)*|\\b\\d+\\.\\d+\\.\\d+\\b)"
              + "|(?<number>\\p{Nd}+(?:[.,:]\\p{Nd}+)*)|(?<word>\\p{L}+)");

  private static final Pattern WHOLE = Pattern.compile("\\p{Nd}+");
  private static final Pattern SENTENCE_END = Pattern.compile("[.!?](?=\\s)");
  private static final Pattern COLON = Pattern.compile("[.!?:](?=\\s)");
  private static final Pattern YEAR = Pattern.compile("(?:19|20)\\d{2}");
  private static final Pattern FIELD =
      Pattern.compile("[ \\t]*(?:[-*] )?\\p{L}[\\p{L}\\p{N} _-]{0,30}:[ \\t].{0,60}");

  /** Kinds of words that distinguish the items of a series. */
  private enum Kind {
    DATE(""),
    VERSION(""),
    NUMBER(""),
    YEAR(""),
    LETTER(""),
    MONTH(
        "january february march april may june july august september october november december"
            + " jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli"
            + " oktober dezember"),
    DAY(
        "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
            + " montag dienstag mittwoch donnerstag freitag samstag sonntag"),
    SEASON("spring summer autumn fall winter"),
    ENVIRONMENT(
        "dev development staging stage test testing qa uat preprod prod production live sandbox"
            + " canary preview local"),
    ORDINAL(
        "first second third fourth fifth sixth seventh eighth ninth tenth i ii iii iv v vi vii"
            + " viii"),
    WORD("");

    private final Set<String> words;

    Kind(String words) {
      this.words = Set.of(words.split(" "));
    }

    static Kind of(String lower) {
      return Arrays.stream(values())
          .filter(kind -> kind.words.contains(lower))
          .findFirst()
          .orElse(WORD);
    }
  }

  /** Words after which a number is the number of an item, even within a sentence. */
  private static final Set<String> COUNTED =
      Set.of(
          ("chapter part lesson episode season week day unit lecture session sprint iteration phase"
               + " step level round exercise problem question task assignment homework lab module"
               + " section volume issue ticket invoice order room floor apartment flat car truck"
               + " van bike boat node host server shard replica rack disk zone cluster machine"
               + " printer sensor pump tank bed plot hive beehive box no nr number kapitel teil"
               + " woche tag rechnung zimmer")
              .split(" "));

  /** Words that precede the date of a change. Such a date is not the subject of the note. */
  private static final Set<String> CHANGE =
      Set.of("since until till before after by now updated changed seit bis ab".split(" "));

  /** A token. If two texts have the same form, tokens in the same place have the same key. */
  private record Token(Kind kind, String text, String key) {}

  /** A heading; {@code own} is true if the heading has a line of its own. */
  private record Heading(List<Token> tokens, boolean own) {}

  private Series() {}

  /** Returns the differing words, such as {@code March, April}; empty if there is no series. */
  static Optional<String> between(String one, String other) {
    Optional<String> apart =
        apart(title(one), title(other))
            .or(() -> apart(heading(one, SENTENCE_END), heading(other, SENTENCE_END)))
            .or(() -> apart(withFields(one), withFields(other)));
    return apart.filter(
        _ ->
            isOnlySlots(title(one)) && isOnlySlots(title(other))
                || order(tokens(one, LONGEST), tokens(other, LONGEST)).share() >= ONE_FORM);
  }

  private static Optional<String> apart(Heading a, Heading b) {
    CommonOrder order = order(a.tokens, b.tokens);
    return order.share() < ALIKE
        ? Optional.empty()
        : order.places().stream()
            .filter(at -> tellsApart(a, at[0], b, at[1]))
            .map(at -> a.tokens.get(at[0]).text + ", " + b.tokens.get(at[1]).text)
            .findFirst();
  }

  private static boolean tellsApart(Heading a, int i, Heading b, int j) {
    Token one = a.tokens.get(i);
    Token other = b.tokens.get(j);
    if (one.kind == Kind.WORD || one.text.equalsIgnoreCase(other.text)) {
      return false;
    }
    String before = i == 0 ? "" : a.tokens.get(i - 1).text.toLowerCase(Locale.ROOT);
    return switch (one.kind) {
      case NUMBER ->
          COUNTED.contains(before)
              || i > 0
                  && a.own
                  && b.own
                  && a.tokens.get(i - 1).kind == Kind.WORD
                  && WHOLE.matcher(one.text).matches()
                  && WHOLE.matcher(other.text).matches()
                  && Math.max(a.tokens.size(), b.tokens.size()) <= SHORT_TITLE;
      case VERSION -> a.own && b.own;
      case LETTER, ORDINAL -> i > 0 && a.tokens.get(i - 1).kind == Kind.WORD;
      default -> !CHANGE.contains(before);
    };
  }

  private static boolean isOnlySlots(Heading title) {
    return title.own
        && title.tokens.stream()
            .allMatch(
                token ->
                    token.kind != Kind.WORD
                        || COUNTED.contains(token.text.toLowerCase(Locale.ROOT)));
  }

  private static Heading title(String text) {
    return heading(text, COLON);
  }

  private static Heading heading(String text, Pattern endOfSentence) {
    String[] lines = text.strip().split("\\R", 2);
    boolean own = lines.length > 1;
    Matcher end = endOfSentence.matcher(lines[0]);
    String title = !own && end.find() ? lines[0].substring(0, end.start()) : lines[0];
    return new Heading(tokens(title, HEADING), own);
  }

  private static Heading withFields(String text) {
    Heading title = title(text);
    List<Token> tokens = new ArrayList<>(title.tokens);
    String[] lines = text.strip().split("\\R", 2 * FIELDS);
    for (int i = 1; i < lines.length && i <= FIELDS; i++) {
      if (FIELD.matcher(lines[i]).matches()) {
        tokens.addAll(tokens(lines[i], HEADING));
      } else if (!lines[i].isBlank() && !lines[i].startsWith("---")) {
        break;
      }
    }
    return new Heading(tokens, title.own);
  }

  private static List<Token> tokens(String text, int most) {
    List<Token> tokens = new ArrayList<>();
    Matcher found = TOKEN.matcher(text);
    while (tokens.size() < most && found.find()) {
      String word = found.group();
      Kind kind;
      if (found.group("date") != null) {
        kind = Kind.DATE;
      } else if (found.group("version") != null) {
        kind = Kind.VERSION;
      } else if (found.group("number") != null) {
        kind = YEAR.matcher(word).matches() ? Kind.YEAR : Kind.NUMBER;
      } else if (word.length() == 1 && Character.isUpperCase(word.charAt(0)) && !word.equals("I")) {
        kind = Kind.LETTER;
      } else {
        kind = Kind.of(word.toLowerCase(Locale.ROOT));
      }
      tokens.add(
          new Token(
              kind, word, kind == Kind.WORD ? word.toLowerCase(Locale.ROOT) : "<" + kind + ">"));
    }
    return tokens;
  }

  private static CommonOrder order(List<Token> a, List<Token> b) {
    return CommonOrder.of(a.stream().map(Token::key).toList(), b.stream().map(Token::key).toList());
  }
}
