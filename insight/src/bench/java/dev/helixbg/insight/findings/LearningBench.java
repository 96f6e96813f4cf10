package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Relation;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Measures how the judge of notes improves by learning. The judge learns from the answers of an
 * agent that is right in most cases, and orders the pairs that the agent has not read.
 */
public final class LearningBench {
  /** Number of the simulated agent's answers; the share {@link #RIGHT} of them is right. */
  public static final int ANSWERS = 60;

  public static final double RIGHT = 0.95;

  private static final int DRAWS = 20;
  private static final int LEADING = 20;
  private static final int PAGE = 10;

  private final List<Relation> list;
  private final Predicate<Relation> truth;

  /** The agent's answers: for the id of a pair, whether the pair is worth an act. */
  private final Map<String, Boolean> said = new HashMap<>();

  private LearningBench(List<Relation> list, Predicate<Relation> truth) {
    this.list = list;
    this.truth = truth;
  }

  /** Ranks the list with the help of an agent's answers, where {@code true} is worth an act. */
  public interface Ranking {
    List<Relation> by(Function<Relation, Optional<Boolean>> said);
  }

  /**
   * The average number of pairs worth an act among the first pairs that the agent has not read.
   *
   * @param first number of those first pairs
   * @param before average in the order without any answers
   * @param after average in the order after learning
   */
  public record Gain(int first, double before, double after) {}

  /**
   * Returns the gains for several numbers of first pairs.
   *
   * @param isWorthAnAct whether a pair is truly worth an act
   */
  static List<Gain> of(Ranking ranking, Predicate<Relation> isWorthAnAct) {
    List<Relation> before =
        ranking.by(pair -> Optional.empty()).stream()
            .filter(pair -> pair.assessment().isPresent())
            .toList();
    Map<Integer, double[]> right = new TreeMap<>();
    for (int draw = 0; draw < DRAWS; draw++) {
      LearningBench bench = new LearningBench(before, isWorthAnAct);
      bench.ask(new Random(draw));
      List<Relation> after = ranking.by(pair -> Optional.ofNullable(bench.said.get(pair.id())));
      for (int first : new int[] {10, 20, 50}) {
        double[] sums = right.computeIfAbsent(first, _ -> new double[2]);
        sums[0] += bench.right(before, first);
        sums[1] += bench.right(after, first);
      }
    }
    return right.entrySet().stream()
        .map(one -> new Gain(one.getKey(), one.getValue()[0] / DRAWS, one.getValue()[1] / DRAWS))
        .toList();
  }

  /**
   * Simulates the agent's answers. Pairs are asked about in the program's order: the leading pairs
   * first, then the pairs of which the judge is least sure.
   */
  private void ask(Random random) {
    while (said.size() < Math.min(ANSWERS, list.size())) {
      long acts = said.values().stream().filter(act -> act).count();
      List<Relation> open = list.stream().filter(one -> !said.containsKey(one.id())).toList();
      Set<Relation> leading =
          new HashSet<>(
              open.stream()
                  .filter(one -> of(one).mayBeWorthAnAct() && !one.isFar())
                  .limit(Math.max(0, LEADING - acts))
                  .toList());
      open.stream()
          .sorted(
              Comparator.comparing((Relation one) -> !leading.contains(one))
                  .thenComparingDouble(
                      one -> leading.contains(one) ? 0 : Math.abs(of(one).act() - 0.5)))
          .limit(PAGE)
          .forEach(one -> said.put(one.id(), truth.test(one) == random.nextDouble() < RIGHT));
    }
  }

  private static Assessment of(Relation pair) {
    return pair.assessment().orElseThrow();
  }

  private long right(List<Relation> order, int first) {
    return order.stream()
        .filter(one -> !said.containsKey(one.id()))
        .limit(first)
        .filter(truth)
        .count();
  }
}
