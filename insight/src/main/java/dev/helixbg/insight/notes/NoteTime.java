package dev.helixbg.insight.notes;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the time at which a note was written, in local minutes since 1970-01-01 00:00. A date in
 * the front matter comes first; the date of a change is preferred to the date of the creation.
 * Without such a date, a date at the beginning of the file name counts, and otherwise the time of
 * the file. In a git work tree, the time of a file only tells when git wrote it. There, the time of
 * a note without a date is unknown.
 *
 * <p>If a date cannot be parsed, the time is unknown. The file's other dates, or else all dates of
 * the folder, show whether {@code 03/05/2024} is in March or in May. If these dates disagree, the
 * time is unknown.
 *
 * @param dayFirst whether the dates of the folder begin with the day; empty if this is unknown
 */
record NoteTime(Optional<Boolean> dayFirst) {
  /** Hour, minute, zone, and am or pm. A zone must follow seconds, as 10:00-11:00 has no zone. */
  private static final String CLOCK =
      "(?:[T ,at]*(\\d{1,2}):(\\d{2})"
          + "(?::\\d{2}(?:[.,]\\d+)?(?:\\s*(Z|GMT|UTC|(?:GMT|UTC)?[+-]\\d{2}:?\\d{2})(?![\\w+-]))?)?"
          + "\\s*([AaPp]\\.?[Mm])?)?";

  private static final Pattern YEAR_FIRST =
      Pattern.compile(
          "(\\d{4})(?:[-_/]|[年년.] ?)(\\d{1,2})(?:[-_/]|[月월.] ?)(\\d{1,2})(?!\\d)[日일]?"
              + CLOCK
              + ".*");

  /** A date in the name of a daily note or of a Zettelkasten: 20260131, or 202601311530. */
  private static final Pattern DIGITS =
      Pattern.compile("(\\d{4})(\\d{2})(\\d{2})(?:(\\d{2})(\\d{2})(?:\\d{2})?)?()()(?:\\D.*)?");

  private static final Pattern YEAR_LAST =
      Pattern.compile("(\\d{1,2})([-/.]) ?(\\d{1,2})\\2 ?(\\d{4})(?!\\d)" + CLOCK + ".*");

  /** Seconds since 1970, or milliseconds, as Dendron writes them. */
  private static final Pattern SINCE_1970 = Pattern.compile("(\\d{10})(?:\\d{3})?");

  /** A date with the name of a month somewhere before the year. */
  private static final Pattern IN_WORDS =
      Pattern.compile("\\D*(\\d{1,2})\\D+(\\d{4})(?!\\d)" + CLOCK + ".*");

  /** A value that is not a date yet: a template, or words as in {@code lastmod: :git}. */
  private static final Pattern UNFILLED = Pattern.compile("\\D*|.*(?:\\{\\{|<%).*");

  private static final Pattern WORD = Pattern.compile("\\p{L}+");

  /** Keys of dates in front matter, without separators, the most important key first. */
  private static final List<String> KEYS =
      List.of(
          ("updated updatedat dateupdated lastupdated modified modifiedat datemodified mtime"
                  + " lastmod lastmodified lastmodifiedat edited lastedited date created createdat"
                  + " datecreated createddate creationdate ctime published publishedat publishdate"
                  + " datepublished pubdate")
              .split(" "));

  /**
   * Names and short names of months in ten languages. The Java runtime of an installed helix-bg has
   * only English names.
   */
  private static final List<String> NAMES =
      List.of(
          "january jan januar januari janvier janv enero ene janeiro gennaio gen stycznia styczeń"
              + " sty января январь янв",
          "february feb februar februari février févr febrero fevereiro fev febbraio lutego luty"
              + " lut февраля февраль февр фев",
          "march mar märz mär maerz mars marzo março maart mrt marca marzec марта март мар",
          "april apr avril avr abril abr aprile kwietnia kwiecień kwi апреля апрель апр",
          "may mai mayo maio maggio mag mei maja maj мая май",
          "june jun juni juin junio junho giugno giu czerwca czerwiec cze июня июнь июн",
          "july jul juli juillet juil julio julho luglio lug lipca lipiec lip июля июль июл",
          "august aug août aout agosto ago augustus augusti sierpnia sierpień sie августа август"
              + " авг",
          "september sep sept septembre septiembre setembro set settembre września wrzesień wrz"
              + " сентября сентябрь сент сен",
          "october oct oktober okt octobre octubre outubro out ottobre ott października"
              + " październik paź октября октябрь окт",
          "november nov novembre noviembre novembro listopada listopad lis ноября ноябрь нояб"
              + " ноя",
          "december dec dezember dez décembre déc diciembre dic dezembro dicembre grudnia"
              + " grudzień gru декабря декабрь дек");

  private static final Map<String, Integer> MONTHS = new HashMap<>();

  static {
    for (int month = 1; month <= NAMES.size(); month++) {
      for (String name : NAMES.get(month - 1).split(" ")) {
        MONTHS.put(name, month);
      }
    }
  }

  private static final int FIRST_YEAR = 2000;
  private static final int LAST_YEAR = 2099;

  /** Learns from the dates of all notes whether the day or the month comes first in a date. */
  static NoteTime of(Collection<Note> notes) {
    return new NoteTime(dayFirst(notes.stream().flatMap(NoteTime::dates)));
  }

  /** Returns the time that a note states; 0 if it cannot be parsed; empty if it states none. */
  OptionalInt said(Note note) {
    Optional<String> date = dates(note).findFirst();
    if (date.isPresent()) {
      return OptionalInt.of(
          minutes(date.get(), dayFirst(dates(note)).or(() -> dayFirst)).orElse(0));
    }
    String name = NoteName.fileName(note.path());
    return Stream.of(YEAR_FIRST, DIGITS)
        .map(form -> form.matcher(name))
        .filter(Matcher::matches)
        .flatMapToInt(found -> yearFirst(found).stream())
        .findFirst();
  }

  /** Returns a time as local minutes since 1970-01-01 00:00; 0 if it is not in 2000 to 2099. */
  static int of(Instant time) {
    return minutes(time).orElse(0);
  }

  /**
   * Returns all dates of the front matter, the most important first. A date below another key, such
   * as {@code image.date}, may not be a date of the note, and comes after the dates of other keys.
   * Templates, which no program has replaced by a date, come last.
   */
  private static Stream<String> dates(Note note) {
    return note.matter().values().entrySet().stream()
        .filter(one -> KEYS.contains(name(one.getKey())) && !one.getValue().isEmpty())
        .sorted(
            Comparator.comparing(
                    (Map.Entry<String, List<String>> one) ->
                        UNFILLED.matcher(one.getValue().getFirst()).matches())
                .thenComparing(one -> one.getKey().contains("."))
                .thenComparing(one -> KEYS.indexOf(name(one.getKey()))))
        .map(one -> plain(one.getValue().getFirst()));
  }

  private static String name(String key) {
    return key.substring(key.lastIndexOf('.') + 1).replaceAll("[-_ ]", "");
  }

  /** Returns a date without the brackets of a link and without quotation marks. */
  private static String plain(String date) {
    return date.replaceAll("[\\[\\]\"'<>]", "").strip();
  }

  private static Optional<Boolean> dayFirst(Stream<String> dates) {
    List<Boolean> known =
        dates
            .map(YEAR_LAST::matcher)
            .filter(found -> found.matches() && !found.group(2).equals("."))
            .flatMap(found -> dayFirst(found).stream())
            .distinct()
            .toList();
    return known.size() == 1 ? Optional.of(known.getFirst()) : Optional.empty();
  }

  /** Whether a date that ends with its year begins with the day; empty if this is not clear. */
  private static Optional<Boolean> dayFirst(Matcher yearLast) {
    int first = Integer.parseInt(yearLast.group(1));
    int second = Integer.parseInt(yearLast.group(3));
    return first > NAMES.size() || first == second || yearLast.group(2).equals(".")
        ? Optional.of(true)
        : second > NAMES.size() ? Optional.of(false) : Optional.empty();
  }

  /** Parses a date. If its order of day and month is unclear, {@code dayFirst} gives the order. */
  static OptionalInt minutes(String date, Optional<Boolean> dayFirst) {
    Matcher found = YEAR_FIRST.matcher(date);
    if (found.matches() || found.usePattern(DIGITS).matches()) {
      return yearFirst(found);
    }
    if (found.usePattern(SINCE_1970).matches()) {
      return minutes(Instant.ofEpochSecond(Long.parseLong(found.group(1))));
    }
    if (found.usePattern(YEAR_LAST).matches()) {
      Optional<Boolean> order = dayFirst(found).or(() -> dayFirst);
      int day = order.orElse(true) ? 1 : 3;
      return order.isEmpty()
          ? OptionalInt.empty()
          : minutes(found.group(4), found.group(4 - day), found.group(day), found, 5);
    }
    Set<Integer> months =
        WORD.matcher(date.toLowerCase(Locale.ROOT))
            .results()
            .map(word -> MONTHS.get(word.group()))
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return months.size() == 1 && found.usePattern(IN_WORDS).matches()
        ? minutes(found.group(2), months.iterator().next().toString(), found.group(1), found, 3)
        : OptionalInt.empty();
  }

  private static OptionalInt yearFirst(Matcher found) {
    return minutes(found.group(1), found.group(2), found.group(3), found, 4);
  }

  /**
   * Returns a date and time in minutes; empty if there is no such date or time.
   *
   * @param clock match with the groups of {@link #CLOCK}
   * @param hour number of the group with the hour, the first of these groups
   */
  private static OptionalInt minutes(
      String year, String month, String day, Matcher clock, int hour) {
    try {
      int of24 = clock.group(hour) == null ? 0 : Integer.parseInt(clock.group(hour));
      String half = clock.group(hour + 3);
      if (half != null && !half.isEmpty()) {
        of24 = of24 % 12 + (half.charAt(0) == 'p' || half.charAt(0) == 'P' ? 12 : 0);
      }
      LocalDateTime time =
          LocalDateTime.of(
              Integer.parseInt(year),
              Integer.parseInt(month),
              Integer.parseInt(day),
              of24,
              clock.group(hour) == null ? 0 : Integer.parseInt(clock.group(hour + 1)));
      String zone = clock.group(hour + 2);
      // Many programs write a day as midnight in any time zone.
      return zone == null || zone.isEmpty() || time.toLocalTime().equals(LocalTime.MIDNIGHT)
          ? minutes(time)
          : minutes(time.atZone(ZoneId.of(zone)).toInstant());
    } catch (DateTimeException e) {
      return OptionalInt.empty();
    }
  }

  private static OptionalInt minutes(Instant time) {
    return minutes(LocalDateTime.ofInstant(time, ZoneId.systemDefault()));
  }

  private static OptionalInt minutes(LocalDateTime time) {
    boolean fits = time.getYear() >= FIRST_YEAR && time.getYear() <= LAST_YEAR;
    return fits
        ? OptionalInt.of((int) (time.toEpochSecond(ZoneOffset.UTC) / 60))
        : OptionalInt.empty();
  }
}
