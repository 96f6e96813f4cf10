package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares the analysis with {@link BruteForce} for random corpora; scripts/proofs runs more. */
class AnalysisTwinTest {
  private static final int CASES = Boolean.getBoolean("proofs.all") ? 300 : 25;

  @Test
  void findsWhatBruteForceFinds() {
    long overlaps = 0;
    long related = 0;
    long matching = 0;
    for (int seed = 0; seed < CASES; seed++) {
      Corpus corpus = Corpus.random(new Random(seed));
      Findings expected = BruteForce.of(corpus);
      Findings found = corpus.analyse(1 + seed % 3);
      String which = "seed " + seed;
      assertEquals(expected.entries(), found.entries(), which);
      assertEquals(expected.topicOverlaps(), found.topicOverlaps(), which);
      assertEquals(expected.topics(), found.topics(), which);
      String relations = found.relations().toString().replaceAll("(sharedWords=)\\[[^]]*]", "$1[]");
      assertEquals(expected.relations().toString(), relations, which);
      matching +=
          found.relations().stream().filter(r -> r.evidence().matching().isPresent()).count();
      related += found.relations().size();
      overlaps += found.topicOverlaps().size();
    }
    assertTrue(overlaps > CASES);
    assertTrue(related > 10 * CASES);
    assertTrue(matching > CASES, matching + " relations match in passages");
  }
}
