package dev.helixbg.insight.pairs;

import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Relation;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The probability that one of two items of memory files can be removed. It is computed from the
 * pair judge's results on the pair and on all other pairs of the two items. The judge was trained
 * on notes and is unsure about items, because items are short. The probability is therefore higher
 * if the pair has a better result than the other pairs. The formula is a logistic regression,
 * fitted to the memory files of writers a and b ({@code scripts/bench-memory}). It is used only to
 * raise a probability.
 *
 * <p>In public memory files, three kinds of pairs were rarely worth an act, and their probability
 * stays unchanged. These are pairs with a probability below {@value #LEAST_JUDGED} or a score below
 * {@value #LEAST_SCORE}, and pairs of which an item is in another pair with a better score. {@code
 * insight/src/judge/README.md} has the counts.
 */
final class FactOdds {
  private static final double CONSTANT = -12.9;

  /**
   * Weight of the pair judge's estimate. The estimate is the log odds that the pair is worth an
   * act.
   */
  private static final double JUDGED = 0.64;

  /**
   * Weight of the logarithm of the longer text's length. The length counts because short texts tell
   * little.
   */
  private static final double LENGTH = 2.75;

  /**
   * Limit to which a larger logarithm of the length is reduced: the logarithm of 245 UTF-16 units.
   */
  private static final double LONG = 5.5;

  /**
   * Weight of a difference: the log odds of the pair, minus the log odds of the best other pair
   * that contains either item.
   */
  private static final double MARGIN = 0.46;

  private static final double LARGEST_MARGIN = 3;

  /** Difference of log odds that is assumed if neither item is in another pair. */
  private static final double NO_OTHER = 2;

  /** Constant that is added to the log odds if the items are in two files. */
  private static final double TWO_FILES = 1.82;

  private static final double LEAST_JUDGED = 0.3;
  private static final double LEAST_SCORE = 0.25;

  /** Smallest probability, which keeps log odds finite. */
  private static final double LEAST = 1e-4;

  /** Pairs of items that may lead. A pair is listed under each of its two items. */
  private final Map<NamedEntry, List<Relation>> pairs = new HashMap<>();

  private FactOdds(List<Relation> read) {
    for (Relation pair : read) {
      if (isMeant(pair)) {
        pairs.computeIfAbsent(pair.a(), _ -> new ArrayList<>()).add(pair);
        pairs.computeIfAbsent(pair.b(), _ -> new ArrayList<>()).add(pair);
      }
    }
  }

  /**
   * Returns the pairs, and raises the probability of some of them. {@code read} must be all pairs
   * that were read.
   */
  static List<Relation> applied(List<Relation> read) {
    FactOdds odds = new FactOdds(read);
    return read.stream().map(pair -> isMeant(pair) ? odds.applied(pair) : pair).toList();
  }

  private static boolean isMeant(Relation pair) {
    return isItem(pair.a()) && isItem(pair.b()) && pair.assessment().orElseThrow().mayLead();
  }

  private static boolean isItem(NamedEntry one) {
    return NoteName.of(one.entry()).filter(NoteName::isItem).isPresent();
  }

  private Relation applied(Relation pair) {
    Assessment said = pair.assessment().orElseThrow();
    if (said.act() < LEAST_JUDGED || pair.score() < LEAST_SCORE) {
      return pair;
    }
    List<Relation> others = new ArrayList<>(pairs.get(pair.a()));
    others.addAll(pairs.get(pair.b()));
    others.removeIf(other -> other.id().equals(pair.id()));
    if (others.stream().anyMatch(other -> other.score() > pair.score())) {
      return pair;
    }
    double best =
        others.stream().mapToDouble(FactOdds::judged).max().orElse(judged(pair) - NO_OTHER);
    double odds =
        CONSTANT
            + JUDGED * judged(pair)
            + LENGTH * Math.min(LONG, StrictMath.log(Math.max(1, length(pair))))
            + MARGIN * Math.clamp(judged(pair) - best, -LARGEST_MARGIN, LARGEST_MARGIN)
            + (pair.files().orElseThrow().size() > 1 ? TWO_FILES : 0);
    return pair.assessed(said.withAct(Math.max(said.act(), 1 / (1 + StrictMath.exp(-odds)))));
  }

  private static int length(Relation pair) {
    return Math.max(pair.a().content().length(), pair.b().content().length());
  }

  /** Returns the judge's estimate: the log odds that the pair is worth an act. */
  private static double judged(Relation pair) {
    double act = Math.clamp(pair.assessment().orElseThrow().act(), LEAST, 1 - LEAST);
    return StrictMath.log(act / (1 - act));
  }
}
