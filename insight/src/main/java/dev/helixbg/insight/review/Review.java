package dev.helixbg.insight.review;

import dev.helixbg.insight.judge.JudgeTrust;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What one review found.
 *
 * @param topic the only one that was looked at; empty: all
 * @param logSha256 of the log it looked at
 * @param judge the language model that judged; empty: the vectors alone
 * @param summary in a sentence or a few
 * @param marks by which the next review of this kind finds where this one ended; may be empty
 */
public record Review(
    Kind kind,
    Optional<String> topic,
    Instant at,
    String logSha256,
    Optional<String> judge,
    String summary,
    List<Item> items,
    List<String> marks) {

  /** Which review. */
  public enum Kind {
    /** What a session of writing brought. */
    SESSION,
    /** Topics that overlap under different names. */
    DRIFT,
    /** Entries that newer ones contradict or supersede. */
    STALE;

    /** As it is called in files and output. */
    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One thing found.
   *
   * @param id of the finding that it is, by which it can be dismissed or done; empty in an old
   *     history
   * @param relation of b to a, such as {@code repeats}
   * @param a an entry's name, or a topic
   * @param b the other one; empty when there is none
   * @param similarity cosine; 0 when there is only one
   * @param verdict of the model; empty when nobody judged
   * @param text an excerpt, for people
   */
  public record Item(
      String id,
      String relation,
      String a,
      String b,
      double similarity,
      String verdict,
      String text) {}

  /** The same without what the user has settled. */
  public Review without(Predicate<String> settled) {
    List<Item> open = items.stream().filter(item -> !settled.test(item.id())).toList();
    return new Review(kind, topic, at, logSha256, judge, summary, open, marks);
  }

  /** No review has more items. */
  static final int MAX_ITEMS = 100;

  /** Said at the end of a summary when there was no model. */
  static final String NOT_JUDGED =
      " No language model judged this: it is what the vectors alone can tell.";

  /** Said there when the model was measured on pairs whose truth is known, and did no better. */
  static final String GUESSED =
      " The language model that judged this was measured. " + JudgeTrust.GUESSING;
}
