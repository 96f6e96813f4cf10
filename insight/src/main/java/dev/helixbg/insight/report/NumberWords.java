package dev.helixbg.insight.report;

import dev.helixbg.insight.log.Entry;
import java.util.Optional;

/**
 * Numbers and dates in plain English, without the formatters of the JDK, whose start costs more
 * than a report.
 */
final class NumberWords {
  private NumberWords() {}

  /** Such as {@code 11,175}. */
  static String count(long n) {
    String digits = Long.toString(n);
    StringBuilder grouped = new StringBuilder(digits);
    int first = n < 0 ? 1 : 0;
    for (int at = digits.length() - 3; at > first; at -= 3) {
      grouped.insert(at, ',');
    }
    return grouped.toString();
  }

  /** Such as {@code 1 entry} or {@code 11,175 pairs}. */
  static String count(long n, String one, String many) {
    return count(n) + " " + (n == 1 ? one : many);
  }

  /** Such as {@code The best 60 of 1,200.}; nothing when all are shown. */
  static Optional<String> shownOf(String best, long shown, long total, String end) {
    return total > shown
        ? Optional.of("The " + best + " " + count(shown) + " of " + count(total) + end)
        : Optional.empty();
  }

  /** For a heading, such as {@code 60 of 63 shown}; the total alone when all are shown. */
  static String shownOf(long shown, long total) {
    return total > shown ? count(shown) + " of " + count(total) + " shown" : count(total);
  }

  /** Such as {@code and 3 more}; nothing when all are named. */
  static Optional<String> more(int total, int named) {
    return total > named ? Optional.of("and " + count(total - named) + " more") : Optional.empty();
  }

  /** Such as {@code 1st}, {@code 12th} or {@code 1,023rd}. */
  static String ordinal(long n) {
    long tens = n % 100;
    String suffix =
        tens >= 11 && tens <= 13
            ? "th"
            : switch ((int) (n % 10)) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            };
    return count(n) + suffix;
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
    String text = fixed(value, decimals);
    int end = text.length();
    while (text.charAt(end - 1) == '0' && text.charAt(end - 2) != '.') {
      end--;
    }
    return text.substring(0, end);
  }

  /** Decimal notation with exactly {@code decimals} digits after the point, half up. */
  static String fixed(double value, int decimals) {
    long scale = 1;
    for (int i = 0; i < decimals; i++) {
      scale *= 10;
    }
    long scaled = Math.round(value * scale);
    String sign = scaled < 0 ? "-" : "";
    long magnitude = Math.abs(scaled);
    if (decimals == 0) {
      return sign + magnitude;
    }
    String fraction = Long.toString(magnitude % scale);
    return sign + magnitude / scale + "." + "0".repeat(decimals - fraction.length()) + fraction;
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
