package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.PatternsBench.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The figures of recurring patterns, which no change of the score may lower unnoticed. */
class PatternsBenchTest {
  @Test
  void findsSomeOfTheGroupsAndNoneOfTheNearOnes() throws Exception {
    Result result = PatternsBench.run(Path.of("target", "test-cache").toAbsolutePath(), 2);
    assertEquals(219, result.entries());
    assertEquals(12, result.groups());
    assertEquals(15, result.near());
    assertTrue(result.found() >= 3, result::toString);
    assertTrue(result.named() == 0 && result.others() == 0, result::toString);
  }
}
