package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.PatternsBench.Kb;
import dev.helixbg.insight.findings.PatternsBench.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The figures of recurring patterns, which no change of the score may lower unnoticed. */
class PatternsBenchTest {
  @Test
  void findsSomeOfTheGroupsAndNothingElse() throws Exception {
    check(219, 12, 15, 2, run(Kb.APART));
    check(428, 8, 7, 1, run(Kb.AMONG));
  }

  private static Result run(Kb kb) throws Exception {
    return PatternsBench.run(kb, Path.of("target", "test-cache").toAbsolutePath(), 2);
  }

  private static void check(int entries, int groups, int near, int found, Result result) {
    assertEquals(entries, result.entries());
    assertEquals(groups, result.groups());
    assertEquals(near, result.near());
    assertTrue(result.found() >= found, result::toString);
    assertTrue(result.named() == 0 && result.others() == 0, result::toString);
  }
}
