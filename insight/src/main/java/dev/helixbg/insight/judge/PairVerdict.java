package dev.helixbg.insight.judge;

/**
 * What the model says of a pair, the mean of asking in both orders.
 *
 * @param probability of the verdict
 * @param same probability that both state the same fact
 * @param related probability of different facts about the same thing
 * @param cut whether the model saw only the beginning of an entry
 */
public record PairVerdict(
    Verdict verdict, double probability, double same, double related, boolean cut) {

  /** What an answer to a comparison means. */
  public static PairVerdict of(Answer answer) {
    return new PairVerdict(
        Verdict.titled(answer.text()).orElseThrow(),
        answer.probability(),
        share(answer, Verdict.SAME),
        share(answer, Verdict.RELATED),
        answer.cut());
  }

  /** Of the three, an answer names two; the third has what is left. */
  private static double share(Answer answer, Verdict verdict) {
    if (answer.text().equals(verdict.title())) {
      return answer.probability();
    }
    return answer.runnerUp().equals(verdict.title())
        ? answer.runnerUpProbability()
        : Math.max(0, 1 - answer.probability() - answer.runnerUpProbability());
  }
}
