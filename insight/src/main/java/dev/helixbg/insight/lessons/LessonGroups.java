package dev.helixbg.insight.lessons;

import dev.helixbg.insight.lessons.NearestSentences.Pair;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes groups of sentences, given by index, from pairs of sentences that state the same rule. A
 * chain of pairs is not enough: a sentence that forms too few pairs with the others is removed from
 * the group.
 */
final class LessonGroups {
  /** Minimum number of members. Two entries are a pair, not a lesson that recurs. */
  private static final int LEAST = 3;

  /**
   * Each sentence of a group must form pairs with at least this share of the group's other
   * sentences.
   */
  static final double SHARE = 0.5;

  private LessonGroups() {}

  /** Returns all groups of three or more sentences that pairs connect, ordered by their indices. */
  static List<List<Integer>> connected(Collection<Pair> same) {
    Map<Integer, Set<Integer>> neighbours = neighbours(same);
    List<List<Integer>> groups = new ArrayList<>();
    Set<Integer> seen = new TreeSet<>();
    for (int first : neighbours.keySet()) {
      Set<Integer> group = new TreeSet<>();
      Deque<Integer> open = new ArrayDeque<>(List.of(first));
      while (!open.isEmpty()) {
        int next = open.pop();
        if (seen.add(next)) {
          group.add(next);
          open.addAll(neighbours.get(next));
        }
      }
      if (group.size() >= LEAST) {
        groups.add(List.copyOf(group));
      }
    }
    return groups;
  }

  /**
   * Returns the groups. A sentence with too few pairs is removed from its group, and may belong to
   * another group.
   */
  static List<List<Integer>> of(Collection<Pair> same, double share) {
    List<List<Integer>> groups = new ArrayList<>();
    Deque<List<Integer>> open = new ArrayDeque<>(connected(same));
    while (!open.isEmpty()) {
      List<Integer> whole = open.pop();
      Map<Integer, Set<Integer>> links = neighbours(within(same, Set.copyOf(whole)));
      List<Integer> group = new ArrayList<>(whole);
      Set<Integer> cut = new TreeSet<>();
      while (group.size() >= LEAST) {
        Integer weakest =
            group.stream().min(Comparator.comparingInt(one -> links.get(one).size())).get();
        if (links.get(weakest).size() >= share * (group.size() - 1)) {
          groups.add(List.copyOf(group));
          break;
        }
        group.remove(weakest);
        cut.add(weakest);
        links.get(weakest).forEach(other -> links.get(other).remove(weakest));
      }
      open.addAll(connected(within(same, cut)));
    }
    return groups;
  }

  private static List<Pair> within(Collection<Pair> pairs, Set<Integer> members) {
    return pairs.stream()
        .filter(pair -> members.contains(pair.a()) && members.contains(pair.b()))
        .toList();
  }

  private static Map<Integer, Set<Integer>> neighbours(Collection<Pair> pairs) {
    Map<Integer, Set<Integer>> neighbours = new TreeMap<>();
    for (Pair pair : pairs) {
      neighbours.computeIfAbsent(pair.a(), one -> new TreeSet<>()).add(pair.b());
      neighbours.computeIfAbsent(pair.b(), one -> new TreeSet<>()).add(pair.a());
    }
    return neighbours;
  }
}
