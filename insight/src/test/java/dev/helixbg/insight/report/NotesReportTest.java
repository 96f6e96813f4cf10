package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesLeftOut;
import dev.helixbg.insight.report.Report.NotesFolder;
import java.util.List;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** The folder of notes that a report is of, in each form of it. */
class NotesReportTest {
  private static final String NAME = "<b>my</b> `vault`\u001B[31m\n# {{id}}";

  private final Report plain = KbFixtures.small().report();
  private final Report notes =
      plain.of(
          Optional.of(
              new NotesFolder(
                  NAME, new NotesAccount(2, 2, 0, NotesLeftOut.NONE, NotesLeftOut.NONE))));

  @Test
  void aKnowledgeBaseOfHelixIsNotNamed() {
    assertEquals(
        "Insights into a helix knowledge base", Jsoup.parse(HtmlReport.render(plain)).title());
    assertTrue(MarkdownReport.render(plain).startsWith("# Insights\n"));
  }

  /** Run in the folder of the notes they find it, whatever it is called. */
  @Test
  void commandsAreThoseForNotes() {
    for (boolean ofNotes : new boolean[] {true, false}) {
      List<String> commands =
          Jsoup.parse(HtmlReport.render(ofNotes ? notes : plain)).select(".acts code").eachText();
      assertTrue(commands.size() >= 3);
      for (String command : commands) {
        String after = ofNotes ? " --notes \\." : "";
        assertTrue(command.matches("helix-bg (act|done|dismiss) \\S+" + after), command);
      }
    }
    assertFalse(HtmlReport.render(notes).contains("the calls of helix"));
  }

  @Test
  void filesAreCountedBesideEntries() {
    NotesFolder folder =
        new NotesFolder(NAME, new NotesAccount(4, 3, 1, NotesLeftOut.NONE, NotesLeftOut.NONE));
    assertEquals(
        List.of("notes, 1 empty 4", "entries 6", "topics 3"),
        Jsoup.parse(HtmlReport.render(plain.of(Optional.of(folder))))
            .select(".facts > div")
            .eachText()
            .subList(0, 3));
  }

  @Test
  void ofASingleTopicNothingIsSaidOfTopicsBesideEachOther() {
    KbFixture kb = new KbFixture();
    kb.entry("only", 0, "First.");
    kb.entry("only", 1, "Second.");
    Document html = Jsoup.parse(HtmlReport.render(kb.report()));
    assertEquals(0, html.select("#map, #overlaps, #cross-links, #misfiled, svg.graph").size());
    assertEquals(0, html.select("nav a").eachAttr("href").stream().filter("#map"::equals).count());
    String markdown = MarkdownReport.render(kb.report());
    assertFalse(markdown.contains("Overlapping topics"), markdown);
    assertTrue(markdown.contains("## Near-duplicates"), markdown);
  }

  @Test
  void everyFormNamesTheFolder() throws Exception {
    String shown = PrintableText.line(NAME);
    Document html = Jsoup.parse(HtmlReport.render(notes));
    assertEquals("Insights into a folder of notes: " + shown, html.title());
    assertEquals("folder of notes: " + shown, html.select(".kicker").text());
    String markdown = MarkdownReport.render(notes);
    assertEquals("# Insights into ``" + shown + "``", markdown.lines().findFirst().orElseThrow());
    assertEquals(
        NAME, new ObjectMapper().readTree(JsonReport.render(notes)).at("/notes/folder").asText());
  }
}
