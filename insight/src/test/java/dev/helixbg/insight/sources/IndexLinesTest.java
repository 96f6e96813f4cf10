package dev.helixbg.insight.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.MemoryFile.IndexLine;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that wrong lines of an index become one finding for each kind of fault. */
class IndexLinesTest {
  private static final NamedEntry FACT =
      new NamedEntry(
          Entry.of(8, "./", "[line: 3]\n[source: MEMORY.md]\n- [A](a.md) — hook", 0),
          0,
          "a",
          false);

  private static List<MovedSource> found(List<IndexLine> lines) {
    MemoryFile file = new MemoryFile("MEMORY.md", "an index of other files", 1, 9, 99, 25, lines);
    return IndexLines.of(
        new NotesAccount(1, 1, 0, LeftOut.NONE, LeftOut.NONE, List.of(file)), List.of(FACT));
  }

  @Test
  void deadLinesOfAFileAreOneFinding() {
    List<MovedSource> found =
        found(
            List.of(
                new IndexLine(3, "a.md", true),
                new IndexLine(4, "b.md", false),
                new IndexLine(5, "c.md", true)));
    assertEquals(
        List.of(
            "“MEMORY.md:3, 5”: each line points to a file that is not there (the first line"
                + " points to a.md)",
            "MEMORY.md:4 points to b.md, which contains none of the words of the line"),
        found.stream().map(MovedSource::words).toList());
    assertEquals(List.of(FACT, FACT), found.stream().map(MovedSource::entry).toList());
  }

  @Test
  void anotherLineMakesAnotherFinding() {
    IndexLine one = new IndexLine(3, "a.md", true);
    List<IndexLine> both = List.of(one, new IndexLine(4, "b.md", true));
    String id = found(List.of(one)).getFirst().id();
    assertNotEquals(id, found(both).getFirst().id());
    assertTrue(Decision.isId(id), id);
  }

  @Test
  void manyLinesAreCounted() {
    List<IndexLine> many =
        IntStream.range(1, 31).mapToObj(i -> new IndexLine(i, i + ".md", true)).toList();
    assertTrue(found(many).getFirst().path().endsWith(", 19, 20, and 10 more"));
  }
}
