package dev.helixbg.insight.report;

import dev.helixbg.insight.log.Entry;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Numbers and dates in plain English, without the formatters of the JDK, whose start costs more
 * than a report.
 */
final class NumberWords {
  private static final Pattern BEFORE_GROUP = Pattern.compile("\\B(?=(?:\\d{3})+$)");

  private NumberWords() {}

  /** Such as {@code 11,175}. */
  static String count(long n) {
    return BEFORE_GROUP.matcher(Long.toString(n)).replaceAll(",");
  }

  /** Such as {@code 1 entry} or {@code 11,175 pairs}. */
  static String count(long n, String one, String many) {
    return count(n) + " " + (n == 1 ? one : many);
  }

  /** For a heading, such as {@code 60 of 63 shown}; the total alone when all are shown. */
  static String shownOf(long shown, long total) {
    return total > shown ? count(shown) + " of " + count(total) + " shown" : count(total);
  }

  /** Such as {@code and 3 more}; nothing when all are named. */
  static Optional<String> more(int total, int named) {
    return total > named ? Optional.of("and " + count(total - named) + " more") : Optional.empty();
  }

  /** Returns a cosine to three decimals, or a dash when it is not finite. */
  static String similarity(double cosine) {
    return Double.isFinite(cosine) ? fixed(cosine, 3) : "–";
  }

  /** A setting such as {@code 0.9} or {@code 0.925}. */
  static String limit(double value) {
    return trimmed(value, 3);
  }

  /**
   * Decimal notation with one to {@code decimals} digits after the point, without needless zeros.
   */
  static String trimmed(double value, int decimals) {
    BigDecimal number = rounded(value, decimals).stripTrailingZeros();
    return number.setScale(Math.max(1, number.scale())).toPlainString();
  }

  /** Decimal notation with exactly {@code decimals} digits after the point, half up. */
  static String fixed(double value, int decimals) {
    return rounded(value, decimals).toPlainString();
  }

  private static BigDecimal rounded(double value, int decimals) {
    return BigDecimal.valueOf(Math.round(value * Math.pow(10, decimals)), decimals);
  }

  /** Such as {@code 2026-03-01 10:22}, the day alone of a note that tells no hour. */
  static String date(Entry entry) {
    return entry.written().map(NumberWords::date).orElse("date unknown");
  }

  /** Returns a date as people write it. */
  static String date(String written) {
    return written.replace('T', ' ');
  }
}
