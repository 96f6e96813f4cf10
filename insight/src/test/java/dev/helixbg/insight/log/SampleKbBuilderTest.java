package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.helixbg.insight.log.DataLog.LogReading;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that notes in Markdown become the log that helix would have written. */
class SampleKbBuilderTest {
  private static final String SOURCE =
      """
      # A title

      Prose with
      - a list, and
        more.

      ## storage

      - 2026-03-14 09:30
        [tags: gotcha]
        First line.

        Third line,   with blanks.
          Indented further.

      - 1970-01-01 00:02
        Oldest.
      ## build
      - 2026-03-14 09:30
        Same minute.
      - 2026-03-14 09:31 (edited)
        [tags: decision]
        Short at first. Then it grew.
      """;

  @Test
  void entriesAreWrittenInOrderOfTimeAndEditsAsAppendAndDelete() {
    LogReading reading = MemoryLog.read(SampleKb.build(SOURCE));

    assertEquals(
        List.of(
            "storage 2 Oldest.",
            "storage 29558010 [tags: gotcha]\nFirst line.\n\nThird line,   with blanks.\n"
                + "  Indented further.",
            "build 29558010 Same minute.",
            "build 29558011 [tags: decision]\nShort at first. Then it grew."),
        reading.entries().stream()
            .map(entry -> entry.topic() + " " + entry.timestampMin() + " " + entry.body())
            .toList());
    assertEquals(5, reading.account().entries());
    assertEquals(1, reading.account().deletes());
    assertEquals(List.of(), reading.account().damage());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "\"## a\n- 2026-02-30 09:30\n  x\",line 2 has no time",
        "\"## a\n- 2026-03-14\n  x\",line 2 has no time",
        "\"## a\n\n- 2026-03-14 09:30\n\",line 3 opens an entry without a body",
        "\"## a\n- 2026-03-14 09:30\n## b\",line 2 opens an entry without a body",
        "\"## a\n- 2026-03-14 09:30\nx\",line 3 is neither",
        "\"## a\n  x\",line 2 is neither",
        "\"## a\n- 2026-03-14 09:30\n x\",line 3 is neither",
        "\"##  \n\",line 1 has a topic of 0 bytes",
        "\"## a\r\n\",line 1 ends with a carriage return"
      })
  void whatCannotBeUnderstoodIsNamedByItsLine(String source, String message) {
    String said =
        assertThrows(IllegalArgumentException.class, () -> SampleKb.build(source)).getMessage();
    assertEquals(message, said.substring(0, message.length()));
  }
}
