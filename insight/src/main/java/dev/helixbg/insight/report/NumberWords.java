package dev.helixbg.insight.report;

import dev.helixbg.insight.log.Entry;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Numbers and dates in plain English. The JDK's number formats are not used, because loading them
 * takes longer than writing a report.
 */
final class NumberWords {
  private static final Pattern BEFORE_GROUP = Pattern.compile("\\B(?=(?:\\d{3})+$)");

  private NumberWords() {}

  /** Returns a number such as {@code 11,175}. */
  static String count(long n) {
    return BEFORE_GROUP.matcher(Long.toString(n)).replaceAll(",");
  }

  /** Returns a number with its noun, such as {@code 1 entry} or {@code 11,175 pairs}. */
  static String count(long n, String one, String many) {
    return count(n) + " " + (n == 1 ? one : many);
  }

  /** Returns text such as {@code 9 entries in 1 topic}. */
  static String entriesIn(int entries, int topics) {
    return count(entries, "entry", "entries") + " in " + count(topics, "topic", "topics");
  }

  /** Adds a number with its noun, unless the number is 0. */
  static void addCount(List<String> list, long n, String one, String many) {
    if (n > 0) {
      list.add(count(n, one, many));
    }
  }

  /** Returns text such as {@code 60 of 63 shown}, or only the total if all are shown. */
  static String shownOf(long shown, long total) {
    return total > shown ? count(shown) + " of " + count(total) + " shown" : count(total);
  }

  /** Returns text such as {@code and 3 more}; empty if there are no more. */
  static Optional<String> more(int total, int named) {
    return total > named ? Optional.of("and " + count(total - named) + " more") : Optional.empty();
  }

  /** Returns a cosine to three decimals, or a dash when it is not finite. */
  static String similarity(double cosine) {
    return Double.isFinite(cosine) ? fixed(cosine, 3) : "–";
  }

  /** Returns a limit or share as text, such as {@code 0.9} or {@code 0.925}. */
  static String limit(double value) {
    return trimmed(value, 3);
  }

  /** Rounds to {@code decimals} decimals, and removes final zeros except the first decimal. */
  static String trimmed(double value, int decimals) {
    BigDecimal number = rounded(value, decimals).stripTrailingZeros();
    return number.setScale(Math.max(1, number.scale())).toPlainString();
  }

  /** Returns a number with exactly {@code decimals} decimals, rounded half up. */
  static String fixed(double value, int decimals) {
    return rounded(value, decimals).toPlainString();
  }

  private static BigDecimal rounded(double value, int decimals) {
    return BigDecimal.valueOf(Math.round(value * Math.pow(10, decimals)), decimals);
  }

  /** Returns a time such as {@code 2026-03-01 10:22}; for a note without an hour, the day. */
  static String date(Entry entry) {
    return entry.written().map(NumberWords::date).orElse("date unknown");
  }

  static String date(String written) {
    return written.replace('T', ' ');
  }
}
