package dev.helixbg.insight.judge;

import java.util.List;

/**
 * A model's answer.
 *
 * @param text one of the job's choices, or free text
 * @param probability of that choice among all; 1 for free text
 * @param runnerUp the next choice; empty for free text
 * @param runnerUpProbability of that
 * @param unread a bit for each text of the question that the model did not read to its end, as
 *     {@link Question#bit} numbers them; {@link #ANY} when it is unknown which
 * @param orders of a comparison, the choice in either order of its texts; else empty
 */
public record Answer(
    String text,
    double probability,
    String runnerUp,
    double runnerUpProbability,
    int unread,
    List<String> orders) {
  static final int ANY = -1;

  /**
   * @param cut whether the model saw only a part of some text
   */
  public Answer(
      String text, double probability, String runnerUp, double runnerUpProbability, boolean cut) {
    this(text, probability, runnerUp, runnerUpProbability, cut ? ANY : 0, List.of());
  }

  static Answer free(String text, boolean cut) {
    return new Answer(text, 1, "", 0, cut);
  }

  /** Whether the model saw only a part of some text. */
  public boolean cut() {
    return unread != 0;
  }

  /** Whether the model read the text with that bit to its end. */
  boolean hasRead(int bit) {
    return (unread & bit) == 0;
  }

  /**
   * Returns the probability of a choice; of three choices, the one that is not named has the
   * remainder.
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
