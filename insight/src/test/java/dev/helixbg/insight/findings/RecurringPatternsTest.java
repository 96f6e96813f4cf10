package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.BestPairs.ScoredPair;
import dev.helixbg.insight.findings.RecurringPatterns.Group;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups of entries by the density of their graph. */
class RecurringPatternsTest {
  private static final int[] ORDER = IntStream.range(0, 40).toArray();

  @Test
  void threeThatAreNearToEachOtherAreAGroup() {
    Group group = only(pair(0, 1, .3), pair(1, 2, .2), pair(0, 2, .1));
    assertArrayEquals(new int[] {0, 1, 2}, sorted(group));
    assertEquals(1, group.central(), "its pairs have the highest scores");
    assertEquals(1.0, group.density());
  }

  @Test
  void aChainIsNone() {
    assertEquals(List.of(), found(pair(0, 1, .9), pair(1, 2, .9), pair(2, 3, .9), pair(3, 4, .9)));
  }

  @Test
  void aStarIsNone() {
    assertEquals(List.of(), found(pair(0, 1, .9), pair(0, 2, .9), pair(0, 3, .9), pair(0, 4, .9)));
  }

  /** Each is near to two of the three others. */
  @Test
  void aRingWithOneDiagonalIsAGroup() {
    Group group =
        only(pair(0, 1, .5), pair(1, 2, .5), pair(2, 3, .5), pair(3, 0, .5), pair(0, 2, .5));
    assertEquals(4, group.members().length);
    assertEquals(5.0 / 6, group.density(), 1e-9);
  }

  /** Two triangles with one link between them. */
  @Test
  void aBridgeJoinsNothing() {
    List<Group> groups =
        found(
            pair(0, 1, .5),
            pair(1, 2, .5),
            pair(0, 2, .5),
            pair(2, 3, .9),
            pair(3, 4, .4),
            pair(4, 5, .4),
            pair(3, 5, .4));
    assertEquals(2, groups.size());
    assertArrayEquals(new int[] {0, 1, 2}, sorted(groups.get(0)));
    assertArrayEquals(new int[] {3, 4, 5}, sorted(groups.get(1)));
  }

  @Test
  void ofManyThatAreAllNearTheFirstTwelveAreOneGroup() {
    List<ScoredPair> pairs = new ArrayList<>();
    for (int a = 0; a < 20; a++) {
      for (int b = a + 1; b < 20; b++) {
        pairs.add(pair(a, b, .5));
      }
    }
    assertArrayEquals(
        IntStream.range(0, RecurringPatterns.MOST).toArray(),
        sorted(RecurringPatterns.among(pairs, ORDER).getFirst()));
  }

  /** Random graphs: every rule holds, and the order of pairs and entries changes nothing. */
  @Test
  void groupsAreDenseApartAndTheSameInAnyOrder() {
    Random random = new Random(7);
    int groupsSeen = 0;
    for (int round = 0; round < 300; round++) {
      int entries = 5 + random.nextInt(35);
      double share = random.nextDouble() * .5;
      List<ScoredPair> pairs = new ArrayList<>();
      for (int a = 0; a < entries; a++) {
        for (int b = a + 1; b < entries; b++) {
          if (random.nextDouble() < share) {
            pairs.add(pair(a, b, random.nextInt(5) / 10.0)); // many are equally near
          }
        }
      }
      List<Group> groups = RecurringPatterns.among(pairs, ORDER);
      groupsSeen += groups.size();
      check(groups, pairs);
      checkRenumbered(groups, pairs, random);
    }
    assertTrue(groupsSeen > 500, () -> "too few to tell");
  }

  private static void check(List<Group> groups, List<ScoredPair> pairs) {
    Set<Long> near = new HashSet<>();
    pairs.forEach(pair -> near.add(key(pair.a(), pair.b())));
    BitSet seen = new BitSet();
    for (Group group : groups) {
      int[] members = group.members();
      assertTrue(members.length >= RecurringPatterns.FEWEST);
      assertTrue(members.length <= RecurringPatterns.MOST);
      int links = 0;
      for (int one : members) {
        assertTrue(!seen.get(one), "in one group only");
        seen.set(one);
        int mine =
            (int) Arrays.stream(members).filter(other -> near.contains(key(one, other))).count();
        assertTrue(2 * mine > members.length - 1, "near to most others");
        links += mine;
      }
      assertEquals((double) links / members.length / (members.length - 1), group.density(), 1e-9);
      assertTrue(Arrays.stream(members).anyMatch(one -> one == group.central()));
    }
  }

  /** The same graph with other numbers, under the same order of keys. */
  private static void checkRenumbered(List<Group> groups, List<ScoredPair> pairs, Random random) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, ORDER.length).boxed().toList());
    Collections.shuffle(numbers, random);
    int[] order = new int[ORDER.length];
    for (int i = 0; i < order.length; i++) {
      order[numbers.get(i)] = i;
    }
    List<ScoredPair> others = new ArrayList<>();
    for (ScoredPair pair : pairs) {
      int a = numbers.get(pair.a());
      int b = numbers.get(pair.b());
      others.add(new ScoredPair(Math.min(a, b), Math.max(a, b), pair.similarity()));
    }
    Collections.shuffle(others, random);
    assertEquals(names(groups, null), names(RecurringPatterns.among(others, order), order));
  }

  private static List<String> names(List<Group> groups, int[] order) {
    return groups.stream()
        .map(
            group ->
                Arrays.stream(group.members())
                        .map(i -> order == null ? i : order[i])
                        .boxed()
                        .toList()
                    + " by "
                    + (order == null ? group.central() : order[group.central()])
                    + " "
                    + group.density())
        .map(
            name -> {
              String inner = name.substring(1, name.indexOf(']'));
              return Arrays.stream(inner.split(", ")).sorted().toList()
                  + name.substring(name.indexOf(']'));
            })
        .toList();
  }

  private static long key(int a, int b) {
    return (long) Math.min(a, b) << 32 | Math.max(a, b);
  }

  private static ScoredPair pair(int a, int b, double score) {
    return new ScoredPair(Math.min(a, b), Math.max(a, b), (float) score);
  }

  private static List<Group> found(ScoredPair... pairs) {
    return RecurringPatterns.among(List.of(pairs), ORDER);
  }

  private static Group only(ScoredPair... pairs) {
    List<Group> groups = found(pairs);
    assertEquals(1, groups.size());
    return groups.getFirst();
  }

  private static int[] sorted(Group group) {
    return Arrays.stream(group.members()).sorted().toArray();
  }
}
