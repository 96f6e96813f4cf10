package dev.helixbg.insight.notes;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.notes.Note.Section;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds out when the facts of a memory file were written. A date belongs to a fact if it is at the
 * fact's beginning, at its end or in brackets. Dates in the future do not count, nor do dates at
 * which something ends, as in (valid until …). If a fact has no date, a date in a heading above the
 * fact counts. A date without a year gets the year of the file's other dates if these agree. Dates,
 * or words such as {@code newest first}, show the order of the facts.
 */
final class ItemTimes {
  private static final String YEAR_FIRST =
      "20\\d{2}(?:[-/]\\d{1,2}[-/]\\d{1,2}|\\.\\d{2}\\.\\d{2}|\\s?年\\s?\\d{1,2}\\s?月\\s?\\d{1,2}\\s?日)";

  private static final String YEAR_LAST = "\\d{1,2}[-/.]\\d{1,2}[-/.]20\\d{2}";

  /** A date with any word as its month, such as {@code 1 juillet 2026}. */
  private static final String WORDS =
      "\\p{L}{3,10}\\.?\\s\\d{1,2}(?:st|nd|rd|th)?,?\\s20\\d{2}"
          + "|\\d{1,2}\\.?\\s(?:de\\s)?\\p{L}{3,10}\\.?\\s(?:de\\s)?20\\d{2}";

  /**
   * A date without a year. Some foreign names of months are also English words, such as {@code out}
   * in {@code 3 out of 5}, or abbreviations, such as {@code gen} in {@code gen 2}. Therefore
   * punctuation must follow the date, and only an English month may come before the day.
   */
  private static final String DAY =
      "(?:(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{L}{0,6}\\.?\\s\\d{1,2}"
          + "(?:st|nd|rd|th)?|\\d{1,2}\\.?\\s(?:de\\s)?\\p{L}{3,10}\\.?)"
          + "(?=[*_`]{0,3}\\s{0,3}(?:[,;:：.|)\\]】）—–]|-(?!\\p{L})|$))";

  private static final String CLOCK = "(?:[T ]\\d{1,2}:\\d{2}[^\\s\\])]*)?";

  private static final String DATE =
      "(?<!\\d)((?:%s)|(?:%s)|(?:%s)|(?:%s))%s(?![\\d\\p{L}])"
          .formatted(YEAR_FIRST, YEAR_LAST, WORDS, DAY, CLOCK);

  static final Pattern ANY = Pattern.compile(DATE);

  /** Matches where the following text does not say when something ends or is due. */
  private static final String NO_END =
      "(?iu:(?!(?:[\\p{L}: ]{0,24}[:"
          + " ])?(?:(?:until|till?|through|expir\\p{L}*|due|valid|next|eol|back"
          + "|starting|deadline|planned|bis|gültig|fällig|jusqu\\p{L}*|prochain\\p{L}*|hasta|vence|próxim\\p{L}*|até|до)["
          + " :]|(?:by|from|ab)[ :]+\\d)))";

  /** Dates of an item: at its beginning, in brackets, or at its end after a dash. */
  private static final List<Pattern> IN_ITEM =
      List.of(
          Pattern.compile("^[*_`\\s]{0,4}" + DATE + "[*_`]{0,3}\\s*[:：—–,|-]"),
          Pattern.compile(
              "[\\[(（【]%s(?:[\\p{L}: ]{1,24}\\s)??".formatted(NO_END)
                  + DATE
                  + "[^\\[\\]()（）【】]{0,30}[\\])）】]"),
          Pattern.compile("[—–-]\\s{0,3}" + DATE + "[.*_\\s]{0,4}$"));

  private static final Pattern YEAR = Pattern.compile("20\\d{2}");
  private static final Pattern SUFFIX = Pattern.compile("(?<=\\d)(?:st|nd|rd|th)\\b");

  private static final Pattern NEWEST_FIRST =
      direction(
          "(?:newest|latest|(?:most )?recent)(?: \\w+)? (?:first|(?:at|on) (?:the )?top|on top)",
          "reverse[- ]chronological",
          "(?:add|put|insert|write|prepend)(?: \\w+){0,4} (?:at|to|on) (?:the )?(?:very )?top",
          "prepend (?:new|each|the)",
          "plus récente?s? (?:en premier|en haut|d['’]abord)",
          "más recientes? (?:primero|arriba)|(?:neueste|jüngste)\\w* (?:zuerst|oben)",
          "最新的?(?:在|放在?)?(?:最?前|最?上|顶部)|倒序|添加到顶部");

  private static final Pattern NEWEST_LAST =
      direction(
          "(?:newest|latest|most recent)(?: \\w+)? (?:last|(?:at|on) (?:the )?(?:bottom|end))",
          "oldest(?: \\w+)? first|(?<!reverse )(?<!reverse-)chronological(?:ly)? order",
          "(?:add|put|append|write)(?: \\w+){0,4} (?:at|to) (?:the )?(?:very )?(?:end|bottom)",
          "append(?:[- ]only| new| below| here)",
          "plus anciens? en premier|à la fin|más antiguos? primero|al final|unten anfügen",
          "最新的?(?:在|放在?)?(?:最?后|底部)|追加到(?:末尾|最后|底部)|正序");

  private ItemTimes() {}

  private static Pattern direction(String... words) {
    return Pattern.compile("(?iu)" + String.join("|", words));
  }

  /**
   * Returns the facts of a file with their times and, if known, their order (newest first or last).
   *
   * @param before the text before the first fact
   */
  static List<Section> in(List<Section> sections, String before) {
    Optional<String> year = year(sections, before);
    List<Section> timed =
        sections.stream().map(one -> one.at(minutes(one, year).orElse(0))).toList();
    Optional<Boolean> told = said(before);
    Optional<Boolean> seen = seen(timed);
    boolean agree = told.isEmpty() || seen.isEmpty() || told.equals(seen);
    Optional<Boolean> whole = agree ? told.or(() -> seen) : Optional.empty();
    return timed.stream()
        .map(one -> one.ordered(said(String.join("\n", one.headings())).or(() -> whole)))
        .toList();
  }

  /** Whether words say that the newest fact is first; empty if they name no order, or both. */
  private static Optional<Boolean> said(String words) {
    boolean first = NEWEST_FIRST.matcher(words).find();
    return first == NEWEST_LAST.matcher(words).find() ? Optional.empty() : Optional.of(first);
  }

  /**
   * Whether the dates show that the newest fact is first: true if they get earlier from fact to
   * fact, false if they get later. Empty if some get earlier and some later, or if fewer than two
   * dates differ from the previous date in their list.
   */
  private static Optional<Boolean> seen(List<Section> sections) {
    Map<String, Integer> last = new TreeMap<>();
    int rising = 0;
    int falling = 0;
    for (Section one : sections) {
      if (one.minutes() != 0) {
        Integer before = last.put(list(one), one.minutes());
        rising += before != null && before < one.minutes() ? 1 : 0;
        falling += before != null && before > one.minutes() ? 1 : 0;
      }
    }
    boolean known = rising + falling >= 2 && Math.min(rising, falling) == 0;
    return known ? Optional.of(falling > 0) : Optional.empty();
  }

  /** Returns the headings above a section, except a lesson's own; stops before a dated heading. */
  private static String list(Section one) {
    List<String> above = one.headings();
    int dated = 0;
    while (dated < above.size() && !ANY.matcher(above.get(dated)).find()) {
      dated++;
    }
    boolean isLesson = !one.place().isItem();
    return String.join("\n", above.subList(0, Math.min(dated, above.size() - (isLesson ? 1 : 0))));
  }

  private static OptionalInt minutes(Section one, Optional<String> year) {
    OptionalInt own = one.place().isItem() ? inItem(one.text(), year) : OptionalInt.empty();
    return own.isPresent()
        ? own
        : one.headings().reversed().stream()
            .flatMapToInt(heading -> times(ANY.matcher(heading), year))
            .findFirst();
  }

  /** Returns the latest date of an item, which counts as the time of its last change. */
  private static OptionalInt inItem(String text, Optional<String> year) {
    return IN_ITEM.stream().flatMapToInt(form -> times(form.matcher(text), year)).max();
  }

  /** Returns the times of the found dates up to tomorrow; a later date cannot be a fact's time. */
  private static IntStream times(Matcher found, Optional<String> year) {
    return found
        .results()
        .flatMapToInt(date -> minutes(date.group(1), year).stream())
        .filter(time -> time <= NoteTime.of(Instant.now()) + Entry.DAY);
  }

  private static OptionalInt minutes(String date, Optional<String> year) {
    boolean whole = YEAR.matcher(date).find();
    String all = whole ? date : date + year.map(one -> " " + one).orElse("");
    return NoteTime.minutes(
        SUFFIX.matcher(all.replaceAll("\\s(?=[年月日]|\\d{1,2}\\s?[月日])", "")).replaceAll(""),
        Optional.empty());
  }

  /** Returns the year of the file's dates; empty if no date has a year, or if the years differ. */
  private static Optional<String> year(List<Section> sections, String before) {
    Set<String> years =
        Stream.concat(
                Stream.of(before),
                sections.stream()
                    .flatMap(one -> Stream.concat(one.headings().stream(), Stream.of(one.text()))))
            .flatMap(text -> ANY.matcher(text).results().map(date -> date.group(1)))
            .flatMap(date -> YEAR.matcher(date).results().map(MatchResult::group))
            .collect(Collectors.toSet());
    return years.size() == 1 ? Optional.of(years.iterator().next()) : Optional.empty();
  }
}
