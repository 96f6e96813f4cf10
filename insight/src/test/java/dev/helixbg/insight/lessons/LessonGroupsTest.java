package dev.helixbg.insight.lessons;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.lessons.NearestSentences.Pair;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests which sentences are compared, and which of them form a group. */
class LessonGroupsTest {
  private static List<Pair> pairs(int... ends) {
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < ends.length; i += 2) {
      pairs.add(Pair.of(ends[i], ends[i + 1]));
    }
    return pairs;
  }

  private static List<List<Integer>> groups(List<Pair> same) {
    return LessonGroups.of(same, LessonGroups.SHARE);
  }

  @Test
  void twoAreNoGroupAndThreeInARowAre() {
    assertEquals(List.of(), groups(pairs(0, 1, 2, 3)));
    assertEquals(List.of(List.of(0, 1, 2)), groups(pairs(0, 1, 1, 2)));
  }

  @Test
  void whoeverIsTheSameAsFewOfTheOthersIsCutOff() {
    List<Pair> clique = pairs(0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3, 3, 9);
    assertEquals(List.of(List.of(0, 1, 2, 3)), groups(clique));
  }

  /** Two groups, and a sentence that forms a pair with one sentence of each group. */
  @Test
  void aChainFallsIntoItsParts() {
    List<Pair> chain = pairs(0, 1, 0, 2, 1, 2, 2, 5, 5, 7, 7, 8, 7, 9, 8, 9);
    Set<Integer> members = new TreeSet<>();
    List<List<Integer>> groups = groups(chain);
    groups.forEach(members::addAll);
    assertEquals(2, groups.size(), groups.toString());
    assertEquals(Set.of(0, 1, 2, 7, 8, 9), members);
  }

  /** A long chain of pairs gives only groups of three. */
  @Test
  void noGroupIsAChain() {
    List<Pair> chain = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      chain.add(Pair.of(i, i + 1));
    }
    groups(chain).forEach(group -> assertEquals(3, group.size(), group.toString()));
  }

  @Test
  void theNearestOfOtherTopicsAreAskedFirst() {
    List<float[]> rows = new ArrayList<>();
    for (double angle : new double[] {0, 0.01, 0.05, 1.5, 1.52, 3}) {
      rows.add(new float[] {(float) Math.cos(angle), (float) Math.sin(angle)});
    }
    List<Pair> pairs = NearestSentences.of(Vectors.of(rows), List.of("a", "a", "b", "c", "c", "d"));
    int sameTopic = pairs.indexOf(Pair.of(0, 1));
    assertEquals(
        Set.of(Pair.of(0, 1), Pair.of(3, 4)),
        Set.copyOf(pairs.subList(Math.min(sameTopic, pairs.indexOf(Pair.of(3, 4))), pairs.size())),
        "those of one topic come last");
    assertEquals(pairs.size(), Set.copyOf(pairs).size(), "each once");
  }

  @Test
  void oneSentenceHasNothingBesideIt() {
    assertEquals(
        List.of(), NearestSentences.of(Vectors.of(List.of(new float[] {1, 0})), List.of("a")));
    assertEquals(List.of(), NearestSentences.of(Vectors.of(List.of()), List.of()));
  }
}
