package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText.Position;
import dev.helixbg.insight.notes.NoteName;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Decides which of two facts of memory files is older if their dates do not show it. A correction
 * is newer than the corrected fact. If it is known whether a list begins or ends with its newest
 * fact, the places in the list show the order.
 */
public final class FactOrder {
  private static final Pattern CORRECTION =
      Pattern.compile(
          "(?iu)^[*_`>\\s]{0,4}(?:[\\[(][^\\])]{0,30}[\\])]\\s*)?[*_]{0,2}"
              + "(?:correct(?:ion|ed)|updated?|superse\\p{L}+|edit|korrektur|correc(?:tion|ción)"
              + "|mise à jour|actualización|更正|更新|修正)(?!\\p{L})[^:：]{0,20}[:：]");

  /** A word: one ideograph, or all characters from a letter or digit to the next blank. */
  private static final Pattern WORD =
      Pattern.compile("\\p{IsHan}|[\\p{L}\\p{N}&&[^\\p{IsHan}]][^\\s\\p{IsHan}]*");

  /** Minimum number of words of a fact that can be understood without its neighbours. */
  private static final int LEAST_WORDS = 6;

  private FactOrder() {}

  /** Returns a number below 0 if a is older, above 0 if b is older; 0 if the order is unknown. */
  static int between(Entry a, Entry b) {
    Optional<Position> one = a.text().position();
    Optional<Position> other = b.text().position();
    if (one.isEmpty() || other.isEmpty() || areDated(a, b)) {
      return 0;
    }
    int corrects = Boolean.compare(isCorrection(a), isCorrection(b));
    Optional<Boolean> newestFirst = one.get().newestFirst();
    if (corrects != 0 || newestFirst.isEmpty() || !NoteName.areInOneList(a, b)) {
      return corrects;
    }
    int places = Integer.compare(one.get().line(), other.get().line());
    return newestFirst.get() ? -places : places;
  }

  /**
   * Whether two items are neighbours in a list, and their dates do not differ. Such items state
   * different facts.
   */
  static boolean areNeighbours(Entry a, Entry b) {
    Optional<Position> one = a.text().position();
    Optional<Position> other = b.text().position();
    if (one.isEmpty() || other.isEmpty() || !areTogether(a, b) || !isItem(a)) {
      return false;
    }
    boolean inOrder = one.get().line() < other.get().line();
    int lines = (int) (inOrder ? a : b).text().content().lines().count();
    return Math.abs(one.get().line() - other.get().line()) <= lines;
  }

  /**
   * Whether two facts state different things although their vectors are near. This is so if the
   * facts are neighbours in a list, or parts of a lesson. Distant items of a list may state the
   * same fact, because agents append facts that the list already has.
   */
  public static boolean areOfOnePiece(Entry a, Entry b) {
    return areNeighbours(a, b) || areTogether(a, b) && !isItem(a);
  }

  /** Whether one of two facts has few words and may be unclear without its neighbours. */
  public static boolean isOneShort(Entry a, Entry b) {
    return isShort(a) || isShort(b);
  }

  private static boolean areTogether(Entry a, Entry b) {
    return !areDated(a, b) && a.text().heading().isPresent() && NoteName.areInOneList(a, b);
  }

  private static boolean isItem(Entry one) {
    return NoteName.of(one).filter(NoteName::isItem).isPresent();
  }

  private static boolean isShort(Entry one) {
    return WORD.matcher(one.text().content()).results().limit(LEAST_WORDS).count() < LEAST_WORDS;
  }

  /** Whether the log has a time for both entries, and the two times differ. */
  static boolean areDated(Entry a, Entry b) {
    return a.timestampMin() != 0 && b.timestampMin() != 0 && a.timestampMin() != b.timestampMin();
  }

  private static boolean isCorrection(Entry one) {
    return CORRECTION.matcher(one.text().content()).find();
  }
}
