package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.Finding.Relation;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.log.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the log odds that one of two facts can be removed. */
class FactOddsTest {
  static NamedEntry fact(int number, String file, String text) {
    String body = "[line: %d]\n[source: %s]\n[part: item “x”]\n%s".formatted(number, file, text);
    return new NamedEntry(
        Entry.of(number, "./", body, 0), number, "%032x".formatted(number), false);
  }

  private static Relation pair(NamedEntry a, NamedEntry b, double score) {
    return NearestPair.of("rel-1", a, b, score, 0.6);
  }

  @Test
  void eachSignRaisesTheOdds() {
    NamedEntry one = fact(1, "MEMORY.md", "x");
    NamedEntry other = fact(2, "MEMORY.md", "x");
    double usual = FactOdds.of(pair(one, other, 0.2), 0);
    assertTrue(FactOdds.of(pair(one, other, 0.2), 2) > usual, "the judge");
    assertTrue(FactOdds.of(pair(one, other, 0.3), 0) > usual, "the score");
    assertTrue(FactOdds.of(pair(one, fact(2, "docs/AGENTS.md", "x"), 0.2), 0) > usual, "two files");
    assertEquals(usual, FactOdds.of(pair(other, one, 0.2), 0));
  }

  @Test
  void siblingsRepeatTheWordsOfTheProject() {
    double two = odds("a/CLAUDE.md", "AGENTS.md");
    assertTrue(odds("a/CLAUDE.md", "b/CLAUDE.md") < two);
    for (String other :
        List.of("CLAUDE.md", "a/b/CLAUDE.md", "~/.claude/CLAUDE.md", "b/AGENTS.md", "a/x.md")) {
      assertEquals(two, odds("a/CLAUDE.md", other), other);
      assertEquals(two, odds(other, "a/CLAUDE.md"), other);
    }
  }

  private static double odds(String file, String other) {
    return FactOdds.of(pair(fact(1, file, "x"), fact(2, other, "x"), 0.2), 0);
  }
}
