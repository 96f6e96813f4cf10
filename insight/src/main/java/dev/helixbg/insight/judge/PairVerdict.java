package dev.helixbg.insight.judge;

import java.util.Optional;

/**
 * A model's verdict on a pair. The probabilities are means over both orders of the two entries.
 *
 * @param same probability that both entries state the same fact
 * @param related probability that the entries state different facts about the same thing
 * @param overtaken probability that the older entry is no longer valid as written; NaN if the model
 *     was not asked this question
 * @param contradiction whether the verdict is <i>overtaken</i> because of a contradiction, and not
 *     because of a change
 * @param cut whether the model read at least one of the entries only in part
 */
public record PairVerdict(
    Verdict verdict,
    double probability,
    double same,
    double related,
    double overtaken,
    boolean contradiction,
    boolean cut) {

  /**
   * Returns the verdict that follows from the model's answers. If an act on this verdict would
   * remove an entry that the model did not read to its end, the verdict is {@link Verdict#RELATED}
   * instead.
   *
   * @param holds answer to the question whether the older entry is still valid
   */
  public static PairVerdict of(Question.Compare question, Answer said, Optional<Answer> holds) {
    double same = said.share(Verdict.SAME.title());
    double related = said.share(Verdict.RELATED.title());
    double overtaken = holds.map(answer -> 1 - answer.share("valid")).orElse(Double.NaN);
    boolean cut = said.cut() || holds.filter(Answer::cut).isPresent();
    Verdict verdict = Verdict.titled(said.text()).orElseThrow();
    double probability = said.probability();
    boolean whole = true;
    if (overtaken > 0.5) {
      verdict = Verdict.OVERTAKEN;
      probability = overtaken;
      whole = holds.get().hasRead(1);
    } else if (verdict == Verdict.SAME) {
      boolean first = question.a().strip().length() <= question.b().strip().length();
      whole = said.hasRead(question.bit(first ? question.a() : question.b()));
    }
    boolean contradiction =
        verdict == Verdict.OVERTAKEN
            && holds.get().share("contradicted") > holds.get().share("outdated");
    return whole
        ? new PairVerdict(verdict, probability, same, related, overtaken, contradiction, cut)
        : new PairVerdict(Verdict.RELATED, same + related, same, related, overtaken, false, cut);
  }
}
