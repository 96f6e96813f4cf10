package dev.helixbg.insight.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.log.EntryText.Position;
import dev.helixbg.insight.notes.Note.Section;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which times facts of a memory file get from the dates in the file. */
class ItemTimesTest {
  private static final String LIST =
      "- one fact that is long\n- another fact that is long\n- a third fact that is long\n";

  private static String day(Section one) {
    return one.minutes() == 0
        ? ""
        : LocalDateTime.ofEpochSecond(60L * one.minutes(), 0, ZoneOffset.UTC)
            .toLocalDate()
            .toString();
  }

  private static List<Section> facts(String text) {
    return NoteTest.note("MEMORY.md", text).sections();
  }

  private static Optional<Boolean> newestFirst(String text) {
    return facts(text).getLast().position().flatMap(Position::newestFirst);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "(2026-03-02) Leases last 30 s.              | 2026-03-02",
        "Leases last 30 s. (added 2026-03-02)        | 2026-03-02",
        "Leases last 60 s (2026-03-02, was 30 s).    | 2026-03-02",
        "[2026-03-02] Leases, changed (2026-04-05)   | 2026-04-05",
        "**2026-03-02**: Leases last 30 s.           | 2026-03-02",
        "Leases last 30 s — 2026-03-02               | 2026-03-02",
        "[Jul 1] Leases last 30 s.                   | 2026-07-01",
        "(1 juillet 2025) Les baux durent 30 s.      | 2025-07-01",
        "租约三十秒（2026年3月2日）                    | 2026-03-02",
        "Leases last 30 s (2026-05-14T10:30Z).       | 2026-05-14",
        "2026-05-14 10:30: leases last 30 s.         | 2026-05-14",
        "**Jul 1**: leases last 30 s.                | 2026-07-01",
        "Leases last 30 s (1. Juli, was 60 s).       | 2026-07-01",
        "The test fails (3 out of 5 runs fail).      | none",
        "The test fails (3 out-of-date files).       | none",
        "Use the new form (gen 2).                   | none",
        "Two of the tests are slow (2 may fail).     | none",
        "The release of 2026-03-02 had leases.       | none",
        "Version (12.4.2026) of the form 3/4/2026    | 2026-04-12",
        "Use port 8080 (or 9090).                    | none",
        "The price is 9 euro (valid until 2026-03-02). | none",
        "The price is 9 euro (until: 2026-03-02).      | none",
        "Ann is away (back on 2026-03-02).             | none",
        "Ann is away (next audit 2026-03-02).          | none",
        "Der Preis ist 9 Euro (gültig bis 2026-03-02). | none",
        "The release is planned (2099-03-02).          | none",
        "Leases last 60 s (from 2026-03-02).           | none",
        "Leases last 60 s (decided by Ann 2026-03-02). | 2026-03-02",
        "Redis is pinned (2024.12.1).                  | none",
        "Leases last 30 s (as of 2026-03-02).          | 2026-03-02"
      })
  void anItemIsOfTheDateThatItBeginsOrEndsWithOrHasInBrackets(String item, String day) {
    String text = "- (2026-01-01) one\n- %s\n- last\n".formatted(item.strip());
    String of = item.contains("2025") ? text.replace("(2026-01-01) ", "") : text;
    assertEquals(day == null ? "" : day, day(facts(of).get(1)));
  }

  @Test
  void aDateWithoutAYearIsUnknownWhereTheYearIsNotPlain() {
    assertEquals("", day(facts("- [Jul 1] one\n- two\n- three\n").getFirst()));
    String two = "- [Jul 1] one\n- (2025-12-31) two\n- (2026-01-01) three\n";
    assertEquals("", day(facts(two).getFirst()));
  }

  @Test
  void whatIsUnderADateIsOfIt() {
    List<Section> facts =
        facts("## 2026-03-02 Leases\n- one\n- two (2026-03-04)\n## Other\n- three\n");
    assertEquals(
        List.of("2026-03-02", "2026-03-04", ""), facts.stream().map(ItemTimesTest::day).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Newest first.\n\n" + LIST,
        "<!-- Add new entries at the top. -->\n" + LIST,
        "## Log (most recent first)\n" + LIST,
        "最新的在前\n\n" + LIST,
        "- (2026-03-03) a\n- (2026-03-02) b\n- (2026-03-01) c\n- d\n"
      })
  void wordsOrDatesTellThatTheNewestComesFirst(String text) {
    assertEquals(Optional.of(true), newestFirst(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Append new facts at the end.\n\n" + LIST,
        "In chronological order:\n\n" + LIST,
        "- (2026-03-01) a\n- b\n- (2026-03-02) c\n- (2026-03-03) d\n- e\n"
      })
  void wordsOrDatesTellThatTheNewestComesLast(String text) {
    assertEquals(Optional.of(false), newestFirst(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        LIST,
        "- (2026-03-03) a\n- (2026-03-02) b\n- c\n", // one falling date could be chance
        "- (2026-03-03) a\n- (2026-03-02) b\n- (2026-03-04) c\n",
        "Newest first.\n\n- (2026-03-01) a\n- (2026-03-02) b\n- (2026-03-03) c\n",
        "- Put the newest version first in lists.\n"
            + "- another fact that is long\n"
            + "- a third fact that is long\n"
      })
  void elseTheOrderSaysNothing(String text) {
    assertEquals(Optional.empty(), newestFirst(text));
  }
}
