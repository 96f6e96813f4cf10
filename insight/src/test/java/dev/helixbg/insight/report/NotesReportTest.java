package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import dev.helixbg.insight.report.Report.NotesFolder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

class NotesReportTest {
  private static final String NAME = "<b>my</b> `vault`\u001B[31m\n# {{id}}";

  private final Report plain = KbFixtures.small().report();
  private final Report notes = notes("--notes '<a> `b.md'", 2, 0);

  private Report notes(String again, int files, int empty) {
    NotesAccount account =
        new NotesAccount(files, files - empty, empty, LeftOut.NONE, LeftOut.NONE, List.of());
    return KbFixtures.with(plain, new NotesFolder(NAME, again, account));
  }

  @Test
  void commandsAreThoseForNotes() {
    List<String> commands = Jsoup.parse(HtmlReport.render(notes)).select(".decide code").eachText();
    assertTrue(commands.size() >= 3);
    for (String command : commands) {
      assertTrue(command.matches("helix-bg (act|dismiss) \\S+ --notes '<a> \\?b\\.md'"), command);
    }
  }

  @Test
  void filesAreCountedBesideEntries() {
    String size =
        Jsoup.parse(HtmlReport.render(notes("--notes .", 4, 1))).select("header .note").text();
    assertTrue(size.contains("4 notes (1 empty), 6 entries in 3 topics"), size);
  }

  @Test
  void ofASingleTopicNothingIsSaidOfTopicsBesideEachOther() {
    KbFixture kb = new KbFixture();
    kb.entry("only", 0, "First.");
    kb.entry("only", 1, "Second.");
    Document html = Jsoup.parse(HtmlReport.render(kb.report()));
    assertEquals(0, html.select("summary:contains(topics)").size());
    String markdown = MarkdownReport.render(kb.report());
    assertFalse(markdown.contains("Overlapping topics"), markdown);
    assertTrue(markdown.contains("## Worth a look"), markdown);
  }

  @Test
  void everyFormNamesTheFolder() throws Exception {
    String shown = PrintableText.line(NAME);
    Document html = Jsoup.parse(HtmlReport.render(notes));
    assertEquals("Insights into a folder of notes: " + shown, html.title());
    assertTrue(
        html.select("header .note").text().startsWith("Insights into a folder of notes: " + shown));
    String markdown = MarkdownReport.render(notes);
    assertTrue(
        markdown.contains("\nInsights into a folder of notes, ``" + shown + "``: 2 notes, "),
        markdown);
    assertEquals(NAME, KbFixtures.tree(notes).at("/notes/folder").asText());
  }

  private static final Finding.Evidence NEAR = NearestPair.EVIDENCE;

  private static NamedEntry note(KbFixture kb, String name, String text) {
    return note(kb, name, 0, text);
  }

  private static NamedEntry note(KbFixture kb, String name, int time, String text) {
    String file = name.replaceFirst("#.*", "");
    return kb.entry("n/", time, Optional.of(file), OptionalDouble.empty(), text);
  }

  /** If several sections of two files match, a reader compares the two files once. */
  @Test
  void pairsOfSectionsOfTheSameTwoFilesAreFolded() {
    KbFixture kb = new KbFixture();
    NamedEntry a1 = note(kb, "n/a.md#One", "First.");
    NamedEntry a2 = note(kb, "n/a.md#Two", "Second.");
    NamedEntry b1 = note(kb, "n/b.md#One", "Third.");
    NamedEntry b2 = note(kb, "n/b.md#Two", "Fourth.");
    NamedEntry c = note(kb, "n/c.md", "Fifth.");
    kb.relation(a1, b1, 0.9, NEAR).relation(a1, c, 0.8, NEAR);
    kb.relation(a2, b2, 0.7, NEAR).relation(a2, b1, 0.6, NEAR);
    Document html = Jsoup.parse(HtmlReport.render(kb.report()));
    assertEquals(
        List.of("2 more pairs of sections of the same two files"),
        html.select("details.others > summary").eachText());
    List<String> ids = html.select("section[aria-labelledby=leading] article").eachAttr("id");
    List<String> folded = html.select("details.others > article").eachAttr("id");
    assertEquals(4, ids.size());
    assertEquals(ids.subList(1, 3), folded, "behind the first pair of theirs");
    assertTrue(
        MarkdownReport.render(kb.report())
            .contains("\n2 more pairs of sections of the same two files:\n"));
  }

  /** A matching passage far down a long note is shown with the text around it. */
  @Test
  void aPassageThatMatchesIsShownWithWhatIsAroundIt() {
    KbFixture kb = new KbFixture();
    String before = "Before it stands this. ".repeat(100);
    String passage = "The lease ends after thirty seconds.";
    NamedEntry a = note(kb, "n/a.md", before + passage + " And after it that.");
    NamedEntry b = note(kb, "n/b.md", passage);
    int start = before.length();
    kb.relation(
        a,
        b,
        0.9,
        NearestPair.matching(
            new Finding.Matching(
                new Passage(start, start + passage.length()),
                new Passage(0, passage.length()),
                0.9,
                0,
                0)));
    Document html = Jsoup.parse(HtmlReport.render(kb.report()));
    assertEquals(List.of(passage), html.select("pre.passage b").eachText());
    String shown = html.select("pre.passage").text();
    assertTrue(shown.startsWith("… ") && shown.endsWith(passage + " And after it that."), shown);
    assertTrue(shown.length() < 500, shown);
    assertTrue(
        MarkdownReport.render(kb.report()).contains("⟦" + passage + "⟧ And after it that.\n"));
  }

  /** A note that has a date but no hour does not get the hour 0:00. */
  @Test
  void aDayIsADayInJsonToo() throws Exception {
    KbFixture kb = new KbFixture();
    NamedEntry a = note(kb, "n/a.md", 29_538_720, "One.");
    NamedEntry b = note(kb, "n/b.md", "Two.");
    JsonNode json = KbFixtures.tree(kb.relation(a, b, 0.9, NEAR).report());
    assertEquals("2026-03-01", json.at("/relations/0/a/written").textValue());
    assertTrue(json.at("/relations/0/b/written").isNull());
    assertEquals("2026-03-01", json.path("asOf").textValue());
  }

  @Test
  void neitherOfTwoUndatedNotesIsCalledTheOlderOne() throws IOException {
    for (int time : new int[] {0, 29_538_720}) {
      KbFixture kb = new KbFixture();
      NamedEntry a = note(kb, "n/a.md", time, "The limit is 9.");
      NamedEntry b = note(kb, "n/b.md", time == 0 ? 0 : time + 60 * 48, "The limit is 12.");
      Finding.Assessment said =
          new Finding.Assessment(
              0.1, 0.85, 0.05, 1, Finding.Tier.LIKELY_OVERTAKEN, Optional.empty(), false);
      Finding.Relation relation = NearestPair.of("rel-1", a, b, 0.3, 0.8).assessed(said);
      assertEquals(
          Optional.of(time == 0 ? "one of the two is likely overtaken" : "A is likely overtaken"),
          EvidenceWords.assessment(relation));
      Report report = KbFixtures.with(kb.report(), List.of(relation));
      JsonNode older = KbFixtures.tree(report).at("/relations/0/assessment/older");
      assertEquals(time == 0 ? "null" : "\"a\"", older.toString());
    }
  }
}
