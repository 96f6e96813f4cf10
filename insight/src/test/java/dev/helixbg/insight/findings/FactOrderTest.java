package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.log.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which of two facts is older if dates do not show it. */
class FactOrderTest {
  private static NamedEntry fact(String line, String heading, String text, int minutes) {
    String body =
        "[line: %s]\n[source: MEMORY.md]\n[heading: %s]\n[part: item “%s”]\n%s"
            .formatted(line, heading, text, text);
    return new NamedEntry(Entry.of(1, "./", body, minutes), 0, text, false);
  }

  private static int order(NamedEntry a, NamedEntry b) {
    assertEquals(a.isAgeKnown(b), FactOrder.between(a.entry(), b.entry()) != 0);
    return FactOrder.between(a.entry(), b.entry());
  }

  @Test
  void aListThatTellsItsDirectionIsInOrder() {
    assertEquals(
        -1,
        order(fact("3, newest last", "Build", "a", 0), fact("7, newest last", "Build", "b", 0)));
    assertEquals(
        1,
        order(fact("3, newest first", "Build", "a", 0), fact("7, newest first", "Build", "b", 0)));
    assertEquals(0, order(fact("3", "Build", "a", 0), fact("7", "Build", "b", 0)));
    assertEquals(
        0, order(fact("3, newest last", "Build", "a", 0), fact("7, newest last", "Style", "b", 0)));
  }

  @Test
  void aCorrectionIsNewerThanWhatItMayCorrect() {
    NamedEntry correction = fact("3", "A", "Correction: leases last 60 s.", 0);
    assertTrue(fact("9", "B", "Leases last 30 s.", 0).isOlderThan(correction));
    assertFalse(correction.isOlderThan(fact("9", "B", "Leases last 30 s.", 0)));
    assertEquals(-1, order(fact("9", "B", "x", 0), fact("1", "A", "**Update (May):** y", 0)));
    assertEquals(0, order(fact("9", "B", "x", 0), fact("1", "A", "Updates are slow: y", 0)));
  }

  @Test
  void datesWeighMore() {
    NamedEntry early = fact("1, newest first", "A", "Correction: x", 1_440);
    NamedEntry late = fact("2, newest first", "A", "y", 14_400);
    assertEquals(0, FactOrder.between(early.entry(), late.entry()));
    assertTrue(early.isOlderThan(late) && early.isAgeKnown(late));
  }

  @Test
  void undatedItemsThatFollowOneAnotherWereWrittenTogether() {
    NamedEntry one = fact("3", "A", "x", 0);
    assertTrue(areNeighbours(one, fact("4", "A", "y", 0)));
    assertTrue(areNeighbours(fact("4", "A", "y", 0), one));
    assertFalse(areNeighbours(one, fact("5", "A", "y", 0)));
    assertFalse(areNeighbours(one, fact("4", "B", "y", 0)));
    assertFalse(areNeighbours(fact("3", "A", "x", 1_440), fact("4", "A", "y", 2_880)));
  }

  private static boolean areNeighbours(NamedEntry a, NamedEntry b) {
    return FactOrder.areNeighbours(a.entry(), b.entry());
  }

  private static boolean areOfOnePiece(NamedEntry a, NamedEntry b) {
    return FactOrder.areOfOnePiece(a.entry(), b.entry());
  }

  @Test
  void neighboursSaySomethingElseEach() {
    String text = "A worker holds its lease for 30 s.";
    String other = "The lease of a worker lasts half a minute.";
    NamedEntry one = fact("3", "A", text, 0);
    assertTrue(areOfOnePiece(one, fact("4", "A", other, 0)));
    assertFalse(areOfOnePiece(one, fact("9", "A", other, 0)), "appended to the list later");
    assertFalse(areOfOnePiece(one, fact("9", "B", other, 0)));
    assertFalse(areOfOnePiece(fact("3", "", text, 0), fact("4", "", other, 0)));
    assertFalse(areOfOnePiece(fact("3", "A", text, 1_440), fact("4", "A", other, 2_880)));
  }

  @Test
  void aFactOfFewWordsIsShort() {
    NamedEntry one = fact("3", "A", "A worker holds its lease for 30 s.", 0);
    for (String text : List.of("Lease: 30 s", "Read `memory/YYYY-MM-DD.md` at the start")) {
      assertTrue(FactOrder.isOneShort(one.entry(), fact("9", "B", text, 0).entry()), text);
    }
    assertFalse(FactOrder.isOneShort(one.entry(), fact("9", "B", "租约为三十秒钟", 0).entry()));
  }
}
