package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.findings.LabelledPairs.Row;
import dev.helixbg.insight.findings.LabelledPairs.Truth;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how a list is measured by a file of known pairs, and which files are refused. */
class LabelledPairsTest {
  @TempDir Path folder;

  private final List<NamedEntry> entries =
      IntStream.range(0, 24)
          .mapToObj(i -> new Entry(i, "a", "note " + i, 0, EntryText.parse("note " + i)))
          .map(entry -> new NamedEntry(entry, (int) entry.offset(), "key" + entry.offset(), false))
          .toList();

  private LabelledPairs read(String text) throws IOException {
    return LabelledPairs.read(Files.writeString(folder.resolve("truth.tsv"), text), entries);
  }

  private Finding.Relation relation(int a, int b) {
    return NearestPair.of("rel-" + a + b, entries.get(a), entries.get(b), 0, 0.5);
  }

  @Test
  void theFirstPairsAreCountedWithIntervals() throws Exception {
    LabelledPairs pairs =
        read(
            "# mine\n\n"
                + "same\ta:0\ta:1\n"
                + "overtaken\tkey3\ta:2\r\n"
                + "lookalike\ta:4\ta:5\n"
                + "same\ta:6\ta:7\n");
    assertEquals(
        Map.of(Truth.SAME, 2, Truth.OVERTAKEN, 1, Truth.RELATED, 0, Truth.LOOKALIKE, 1),
        pairs.counts());
    List<Row> rows =
        pairs.rows(
            "score", List.of(relation(1, 0), relation(4, 5), relation(8, 9), relation(2, 3)));
    assertEquals(List.of(2, 10, 12, 20, 50), rows.stream().map(Row::pairs).toList());
    assertEquals(new Share(1, 2), rows.getFirst().precision());
    assertEquals(new Share(1, 3), rows.getFirst().recall());
    assertEquals(new Share(2, 4), rows.getLast().precision());
    assertEquals(1, rows.getLast().found().get(Truth.LOOKALIKE));
  }

  /** Expected values are from Brown, Cai and DasGupta 2001, or computed by hand. */
  @Test
  void intervalsAreWilsons() {
    assertEquals("70 % (48–85)", new Share(14, 20).words());
    assertEquals("100 % (72–100)", new Share(10, 10).words());
    assertEquals("0 % (0–28)", new Share(0, 10).words());
    assertEquals("0 % (0–100)", new Share(0, 0).words());
  }
}
