package dev.helixbg.insight.judge;

import java.util.List;

/**
 * A model's answer.
 *
 * @param text one of the choices of the question's kind, or free text
 * @param probability probability of that choice among all choices; 1 for free text
 * @param runnerUp second most likely choice; empty for free text
 * @param unread bit mask of the texts that the model did not read to the end ({@link
 *     Question#bit}); {@link #ANY} if it is unknown which texts these are
 * @param orders for a comparison, the choice in each of the two orders of its texts; else empty
 */
public record Answer(
    String text,
    double probability,
    String runnerUp,
    double runnerUpProbability,
    int unread,
    List<String> orders) {
  static final int ANY = -1;

  public Answer(
      String text, double probability, String runnerUp, double runnerUpProbability, boolean cut) {
    this(text, probability, runnerUp, runnerUpProbability, cut ? ANY : 0, List.of());
  }

  static Answer free(String text, boolean cut) {
    return new Answer(text, 1, "", 0, cut);
  }

  /** Whether the model read only a part of at least one text. */
  public boolean cut() {
    return unread != 0;
  }

  boolean hasRead(int bit) {
    return (unread & bit) == 0;
  }

  /**
   * Returns the probability of a choice. Only the two likeliest choices have a stored probability;
   * any other choice gets the rest.
   */
  double share(String choice) {
    if (text.equals(choice)) {
      return probability;
    }
    return runnerUp.equals(choice)
        ? runnerUpProbability
        : Math.max(0, 1 - probability - runnerUpProbability);
  }
}
