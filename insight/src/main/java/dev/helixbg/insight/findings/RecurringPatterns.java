package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.BestPairs.ScoredPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups of three or more entries of different topics that say the same lesson: dense parts of the
 * graph of near pairs.
 *
 * <p>Of each near pair, the nearest first, a group grows by the entry that is nearest to it, as
 * long as each member stays near to more than half of the others: a chain of links makes no group.
 * An entry is in one group at most.
 */
final class RecurringPatterns {
  /** Fewer are a relation. */
  static final int FEWEST = 3;

  /** A larger group is a subject and not a lesson. */
  static final int MOST = 12;

  /**
   * Entries that belong together.
   *
   * @param members in the order in which they were taken in
   * @param central the one that is nearest to the others
   * @param density how many of all pairs of members are near, from just above 0.5 to 1
   */
  record Group(int[] members, int central, double density) {}

  /** Of each entry those that it is near to, with the score of the pair. */
  private final Map<Integer, Map<Integer, Float>> near = new HashMap<>();

  /** Position of each entry, which decides between equally near ones. */
  private final int[] order;

  private final BitSet taken = new BitSet();

  private RecurringPatterns(List<ScoredPair> pairs, int[] order) {
    this.order = order;
    for (ScoredPair pair : pairs) {
      near.computeIfAbsent(pair.a(), _ -> new HashMap<>()).put(pair.b(), pair.similarity());
      near.computeIfAbsent(pair.b(), _ -> new HashMap<>()).put(pair.a(), pair.similarity());
    }
  }

  /**
   * Finds the groups, that of the nearest pair first.
   *
   * @param pairs that are near, each once, with scores above −1
   * @param order of the entries, see {@link BestPairs}
   */
  static List<Group> among(List<ScoredPair> pairs, int[] order) {
    RecurringPatterns patterns = new RecurringPatterns(pairs, order);
    List<Group> groups = new ArrayList<>();
    pairs.stream()
        .sorted(
            Comparator.comparingDouble((ScoredPair pair) -> -pair.similarity())
                .thenComparingInt(pair -> Math.min(order[pair.a()], order[pair.b()]))
                .thenComparingInt(pair -> Math.max(order[pair.a()], order[pair.b()])))
        .filter(pair -> !patterns.taken.get(pair.a()) && !patterns.taken.get(pair.b()))
        .map(patterns::grown)
        .filter(members -> members.length >= FEWEST)
        .forEach(members -> groups.add(patterns.taken(members)));
    return groups;
  }

  private int[] grown(ScoredPair seed) {
    int[] members = {seed.a(), seed.b()};
    for (int next = nearest(members);
        next != NearestLists.NONE && members.length < MOST;
        next = nearest(members)) {
      members = with(members, next);
    }
    return members;
  }

  private static int[] with(int[] members, int another) {
    int[] all = Arrays.copyOf(members, members.length + 1);
    all[members.length] = another;
    return all;
  }

  /** The free entry that is nearest to the members, of those with which they are dense. */
  private int nearest(int[] members) {
    int[] candidates =
        Arrays.stream(members)
            .boxed()
            .flatMap(member -> near.get(member).keySet().stream())
            .distinct()
            .filter(one -> !taken.get(one) && Arrays.stream(members).noneMatch(m -> m == one))
            .filter(one -> isDense(with(members, one)))
            .sorted(Comparator.comparingInt(one -> order[one]))
            .mapToInt(one -> one)
            .toArray();
    return mostCentral(candidates, members);
  }

  /** Whether each is near to more than half of the others. */
  private boolean isDense(int[] members) {
    return Arrays.stream(members).allMatch(one -> 2 * links(one, members) > members.length - 1);
  }

  private int links(int entry, int[] others) {
    Map<Integer, Float> scores = near.get(entry);
    return (int) Arrays.stream(others).filter(scores::containsKey).count();
  }

  /**
   * Of some entries the one that is nearest to others, of equals the first. A link more counts for
   * more than a nearer one.
   *
   * @return {@link NearestLists#NONE} if there are none
   */
  private int mostCentral(int[] some, int[] others) {
    int best = NearestLists.NONE;
    double highest = 0;
    int[] sorted = inOrder(others); // sums of floating-point numbers depend on their order
    for (int one : some) {
      double sum = 0;
      for (int other : sorted) {
        Float score = near.get(one).get(other);
        sum += score == null ? 0 : 1 + score;
      }
      if (sum > highest) {
        best = one;
        highest = sum;
      }
    }
    return best;
  }

  private int[] inOrder(int[] entries) {
    return Arrays.stream(entries)
        .boxed()
        .sorted(Comparator.comparingInt(one -> order[one]))
        .mapToInt(one -> one)
        .toArray();
  }

  private Group taken(int[] members) {
    Arrays.stream(members).forEach(taken::set);
    int links = Arrays.stream(members).map(one -> links(one, members)).sum();
    return new Group(
        members,
        mostCentral(inOrder(members), members),
        (double) links / (members.length * (members.length - 1)));
  }
}
