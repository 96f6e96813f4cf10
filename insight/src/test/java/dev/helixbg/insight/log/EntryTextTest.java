package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.helixbg.insight.log.EntryText.Link;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which lines of a body are metadata, their values, and which lines are content. */
class EntryTextTest {

  @Test
  void metadataThatHelixWritesIsTakenOffTheContent() {
    EntryText text =
        EntryText.parse(
            """
            [tags: gotcha, data-flow]
            [source: src/queue.c:4]
            [confidence: 0.7]
            [links: engine:0 deep/er/topic:12]
            [modified: 2026-11-20 12:47]
            First line.

            Third line.\
            """);

    assertEquals("First line.\n\nThird line.", text.content());
    assertEquals(List.of("gotcha", "data-flow"), text.tags());
    assertEquals(Optional.of("src/queue.c:4"), text.source());
    assertEquals(OptionalDouble.of(0.7), text.confidence());
    assertEquals(List.of(new Link("engine", 0), new Link("deep/er/topic", 12)), text.links());
  }

  @Test
  void bodyWithoutMetadataIsItsOwnContent() {
    String body = "\n some [text: here]\n\n";
    EntryText text = EntryText.parse(body);
    assertSame(body, text.content());
    assertEquals(List.of(), text.tags());
    assertEquals(List.of(), text.links());
    assertEquals(Optional.empty(), text.source());
    assertEquals(OptionalDouble.empty(), text.confidence());
  }

  @Test
  void metadataMayStandAnywhereAndOnlyItsLinesAreTakenOff() {
    assertEquals("a\nb", EntryText.parse("a\n[tags: x]\nb").content());
    assertEquals("a", EntryText.parse("a\n[tags: x]").content());
    assertEquals("a\n", EntryText.parse("a\n\n[tags: x]").content());
    assertEquals("a\n", EntryText.parse("a\n[tags: x]\n").content());
    assertEquals("a", EntryText.parse("[tags: x]\na").content());
    assertEquals("\na", EntryText.parse("[tags: x]\n\na").content());
    assertEquals("\na", EntryText.parse("\n[tags: x]\na").content());
    assertEquals("", EntryText.parse("[tags: x]").content());
    assertEquals("", EntryText.parse("[tags: x]\n").content());
    assertEquals("", EntryText.parse("[tags: x]\n[source: y]").content());
    assertEquals("", EntryText.parse("").content());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[also not] metadata",
        "[not metadata",
        " [tags: a]",
        "[tags: a] ",
        "[tags: a]\r",
        "[tags:a]",
        "[tags : a]",
        "[Tags: a]",
        "[tag: a]",
        "[linked from: a:1]",
        "[: a]",
        "[tags: ",
        "[tags:]",
        "[tags:] ]",
        "[]",
        "[",
        "]",
        "tags: a"
      })
  void lookAlikesAreText(String line) {
    EntryText text = EntryText.parse("before\n" + line + "\nafter");
    assertEquals("before\n" + line + "\nafter", text.content());
    assertEquals(List.of(), text.tags());
  }

  @Test
  void linesEndAtNewlineOnly() {
    for (String separator : List.of("\r", "\u2028", "\u2029", "\u0085", "\u000b", "\f")) {
      String body = "text" + separator + "[tags: a]";
      assertEquals(body, EntryText.parse(body).content());
    }
  }

  @Test
  void theLastValidLineOfAKindCounts() {
    EntryText text =
        EntryText.parse(
            """
            [tags: first]
            [confidence: 0.2]
            [links: a:1]
            [source: one.c:1]
            text
            [tags: second, third]
            [tags: , ]
            [confidence: 0.9]
            [confidence: certain]
            [confidence: 1.5]
            [links: b:2]
            [links: see the wiki]
            [source: two.c:2]
            [source:  ]
            [modified: ]\
            """);

    assertEquals("text", text.content());
    assertEquals(List.of("second", "third"), text.tags());
    assertEquals(OptionalDouble.of(0.9), text.confidence());
    assertEquals(List.of(new Link("b", 2)), text.links());
    assertEquals(Optional.of("two.c:2"), text.source());
  }

  @ParameterizedTest
  @CsvSource({"0,0", "1,1", "1.0,1", ".5,0.5", "+0.25,0.25", "-0,0", "7e-1,0.7", "0.70,0.7"})
  void confidenceIsANumberFrom0To1(String written, double expected) {
    assertEquals(
        OptionalDouble.of(expected), EntryText.parse("[confidence: " + written + "]").confidence());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-0.1", "1.01", "NaN", "0x0p0", "0.5d", "Infinity", "70%", "", "e", "1e999", "٠"})
  void anythingElseIsNoConfidence(String written) {
    assertEquals(
        OptionalDouble.empty(), EntryText.parse("[confidence: " + written + "]").confidence());
  }

  @Test
  void itemsThatAreNoLinksAreSkipped() {
    EntryText text =
        EntryText.parse("[links: a:1  b:x :3 c: d e:-1 f:2147483647 g:2147483648 h:i:5 j:٣]");
    assertEquals(
        List.of(new Link("a", 1), new Link("f", Integer.MAX_VALUE), new Link("h:i", 5)),
        text.links());
  }

  @Test
  void aMegabyteOfBracketsIsParsedInLinearTime() {
    String brackets = "[".repeat(1 << 20) + "\n" + "[tags: ]\n".repeat(100_000) + "[links: ";
    assertEquals("[".repeat(1 << 20) + "\n[links: ", EntryText.parse(brackets).content());
  }
}
