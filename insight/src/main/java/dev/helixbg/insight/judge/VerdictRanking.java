package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.PairKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Pairs in the order in which they deserve to be read: by similarity and verdict together.
 *
 * <p>Near-duplicates count as similarity · (p(same) + p(related) / 2), cross-links as similarity ·
 * (p(same) + p(related)), since related entries deserve a link as much as equal ones. A pair
 * without a verdict counts as if each of the three were as likely.
 *
 * @param shown what may be worth telling, the best first
 * @param different what the model calls different, the most similar first
 */
public record VerdictRanking(List<Finding.Pair> shown, List<Finding.Pair> different) {

  /** Ranks pairs of one kind. */
  public static VerdictRanking of(List<Finding.Pair> pairs, Map<String, PairVerdict> verdicts) {
    List<Finding.Pair> shown = new ArrayList<>();
    List<Finding.Pair> different = new ArrayList<>();
    for (Finding.Pair pair : pairs) {
      PairVerdict verdict = verdicts.get(pair.id());
      boolean apart = verdict != null && verdict.verdict() == Verdict.DIFFERENT;
      (apart ? different : shown).add(pair);
    }
    shown.sort(
        Comparator.comparingDouble((Finding.Pair pair) -> worth(pair, verdicts.get(pair.id())))
            .reversed());
    return new VerdictRanking(List.copyOf(shown), List.copyOf(different));
  }

  private static double worth(Finding.Pair pair, PairVerdict verdict) {
    double same = verdict == null ? 1.0 / 3 : verdict.same();
    double related = verdict == null ? 1.0 / 3 : verdict.related();
    double weight = pair.kind() == PairKind.NEAR_DUPLICATE ? 0.5 : 1;
    return pair.similarity() * (same + weight * related);
  }
}
