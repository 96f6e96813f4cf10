package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText.Position;
import dev.helixbg.insight.notes.NoteName;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which of two facts of memory files is older where their dates do not tell: a correction is newer
 * than what it may correct, and a list that says in which direction it grows is in order.
 */
public final class FactOrder {
  private static final Pattern CORRECTION =
      Pattern.compile(
          "(?iu)^[*_`>\\s]{0,4}(?:[\\[(][^\\])]{0,30}[\\])]\\s*)?[*_]{0,2}"
              + "(?:correct(?:ion|ed)|updated?|superse\\p{L}+|edit|korrektur|correc(?:tion|ción)"
              + "|mise à jour|actualización|更正|更新|修正)(?!\\p{L})[^:：]{0,20}[:：]");

  /** An ideograph, or what reaches from a letter or digit to a blank: a path is one. */
  private static final Pattern WORD =
      Pattern.compile("\\p{IsHan}|[\\p{L}\\p{N}&&[^\\p{IsHan}]][^\\s\\p{IsHan}]*");

  /** A fact of fewer words says too little beside those around it. */
  private static final int LEAST_WORDS = 6;

  private FactOrder() {}

  /** Below 0 where a is older, above where b is; 0 where this does not tell. */
  static int between(Entry a, Entry b) {
    Optional<Position> one = a.text().position();
    Optional<Position> other = b.text().position();
    if (one.isEmpty() || other.isEmpty() || areDated(a, b)) {
      return 0;
    }
    int corrects = Boolean.compare(isCorrection(a), isCorrection(b));
    boolean inOrder = one.get().newestFirst().isPresent() && NoteName.areInOneList(a, b);
    return corrects != 0 || !inOrder
        ? corrects
        : Integer.compare(one.get().line(), other.get().line())
            * (one.get().newestFirst().get() ? -1 : 1);
  }

  /**
   * Whether two items follow one another under a heading, with no date between them. They were
   * written together, so each states a fact of its own.
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
   * Whether two facts state different things, however near their vectors are: neighbours in a list,
   * parts of one lesson, or a fact of very few words. Items further apart in one list are not
   * included: agents append facts that a list has already.
   */
  public static boolean areOfOnePiece(Entry a, Entry b) {
    return areNeighbours(a, b) || areTogether(a, b) && !isItem(a) || isShort(a) || isShort(b);
  }

  /** Whether two facts are under one heading, and no date parts them. */
  private static boolean areTogether(Entry a, Entry b) {
    return !areDated(a, b) && a.text().heading().isPresent() && NoteName.areInOneList(a, b);
  }

  private static boolean isItem(Entry one) {
    return NoteName.of(one).filter(NoteName::isItem).isPresent();
  }

  private static boolean isShort(Entry one) {
    return WORD.matcher(one.text().content()).results().limit(LEAST_WORDS).count() < LEAST_WORDS;
  }

  private static boolean areDated(Entry a, Entry b) {
    return a.timestampMin() != 0 && b.timestampMin() != 0 && a.timestampMin() != b.timestampMin();
  }

  private static boolean isCorrection(Entry one) {
    return CORRECTION.matcher(one.text().content()).find();
  }
}
