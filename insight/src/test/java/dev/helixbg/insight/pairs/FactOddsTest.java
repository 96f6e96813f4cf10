package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Relation;
import dev.helixbg.insight.findings.Finding.Tier;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of the judge's probabilities where both texts are items of memory files. */
class FactOddsTest {
  private static final NamedEntry ONE = fact(1, "MEMORY.md", 150);
  private static final NamedEntry OTHER = fact(2, "MEMORY.md", 100);
  private static final NamedEntry THIRD = fact(3, "MEMORY.md", 100);

  private static NamedEntry fact(int number, String file, int length) {
    String body =
        "[line: %d]\n[source: %s]\n[part: item “x”]\n%s"
            .formatted(number, file, "y".repeat(length));
    return new NamedEntry(
        Entry.of(number, "./", body, 0), number, "%032x".formatted(number), false);
  }

  private static Relation pair(NamedEntry a, NamedEntry b, double score, double act, Tier tier) {
    return new Relation(
            "rel-" + a.index() + "-" + b.index(),
            a,
            b,
            score,
            0.6,
            new Finding.Evidence(1, 1, List.of(), Optional.empty(), Optional.empty()))
        .assessed(
            new Assessment(act / 4, 3 * act / 4, (1 - act) / 2, 0, tier, Optional.empty(), false));
  }

  private static Relation pair(NamedEntry a, NamedEntry b, double score, double act) {
    return pair(a, b, score, act, Tier.RELATED);
  }

  /** Of the first pair. */
  private static double act(Relation... read) {
    return FactOdds.applied(List.of(read)).getFirst().assessment().orElseThrow().act();
  }

  @Test
  void aPairThatStandsOutIsLikelier() {
    double alone = act(pair(ONE, OTHER, 0.3, 0.4));
    double likeliest = act(pair(ONE, OTHER, 0.3, 0.4), pair(ONE, THIRD, 0.2, 0.3));
    double lessLikely = act(pair(ONE, OTHER, 0.3, 0.4), pair(THIRD, OTHER, 0.2, 0.6));
    assertTrue(alone > likeliest && likeliest > lessLikely);
    assertEquals(
        alone,
        act(pair(ONE, OTHER, 0.3, 0.4), pair(ONE, THIRD, 0.4, 0.9, Tier.SERIES)),
        "what cannot lead is no rival");
  }

  @Test
  void onlyAPairWithTheBestScoreOfBothItemsIsRaised() {
    assertTrue(act(pair(ONE, OTHER, 0.25, 0.4)) > 0.4);
    assertEquals(0.4, act(pair(ONE, OTHER, 0.24, 0.4)));
    assertEquals(0.4, act(pair(ONE, OTHER, 0.3, 0.4), pair(THIRD, OTHER, 0.4, 0.1)));
    assertTrue(act(pair(ONE, OTHER, 0.3, 0.4), pair(THIRD, OTHER, 0.3, 0.1)) > 0.4);
  }

  @Test
  void shortItemsAreLessLikely() {
    double alike = act(pair(ONE, OTHER, 0.3, 0.4));
    assertTrue(act(pair(THIRD, OTHER, 0.3, 0.4)) < alike);
    assertEquals(
        act(pair(fact(4, "MEMORY.md", 250), OTHER, 0.3, 0.4)),
        act(pair(fact(4, "MEMORY.md", 2_500), OTHER, 0.3, 0.4)));
  }

  /** No probability falls, and none rises that is low. */
  @Test
  void whatTheJudgeDoubtsOrIsSureOfStays() {
    assertEquals(0.29, act(pair(ONE, OTHER, 0.3, 0.29)));
    assertEquals(0.999, act(pair(ONE, OTHER, 0.3, 0.999)), 1e-9);
    assertEquals(1, act(pair(ONE, OTHER, 0.3, 1)));
  }

  @Test
  void itemsOfTwoFilesAreLikelier() {
    assertTrue(
        act(pair(ONE, fact(2, "docs/AGENTS.md", 100), 0.3, 0.4)) > act(pair(ONE, OTHER, 0.3, 0.4)));
  }

  @Test
  void theVerdictsKeepTheirShares() {
    Assessment said =
        FactOdds.applied(List.of(pair(ONE, OTHER, 0.3, 0.9))).getFirst().assessment().orElseThrow();
    assertEquals(3, said.overtaken() / said.same(), 1e-9);
    assertEquals((1 - said.act()) / 2, said.related(), 1e-9);
  }

  @Test
  void allElseStaysAsItIs() {
    Relation notes =
        pair(RelationRerankerTest.entry(1, "a"), RelationRerankerTest.entry(2, "b"), 0.3, 0.4);
    Relation series = pair(ONE, OTHER, 0.3, 0.9, Tier.SERIES);
    NamedEntry lesson =
        new NamedEntry(
            Entry.of(9, "./", "[line: 9]\n[source: MEMORY.md]\n[heading: A]\nz", 0), 9, "k", false);
    Relation mixed = pair(RelationRerankerTest.entry(5, "a"), OTHER, 0.3, 0.9);
    List<Relation> read = List.of(notes, series, mixed, pair(ONE, lesson, 0.3, 0.6));
    assertEquals(read, FactOdds.applied(read));
  }
}
