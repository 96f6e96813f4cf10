package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.SourceChange;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

/** Tests that each format of a report shows moved source files, with names as plain text. */
class MovedSourcesReportTest {
  private static final String HOSTILE = "<b>a</b>`x`|{{id}}\u001B[31m.java";

  private static final SourceCheckResult.Folder SHOP =
      new SourceCheckResult.Folder("shop", Optional.of("abcdef0123"), Optional.empty());

  private final Report plain = KbFixtures.small().report();

  /** Returns one finding about a removed file, and the folder of the file. */
  static SourceCheckResult one(Report about) {
    return new SourceCheckResult(
        List.of(SHOP),
        List.of(moved(about, 1, SourceChange.GONE, "src/Lease.java:41", "core/Lease.java:43")));
  }

  private Finding.MovedSource moved(int id, SourceChange change, String named, String now) {
    return moved(plain, id, change, named, now);
  }

  private static Finding.MovedSource moved(
      Report about, int id, SourceChange change, String named, String now) {
    NamedEntry entry = about.findings().entries().getFirst();
    return new Finding.MovedSource(
        "source-%010x".formatted(id),
        entry,
        change,
        "shop",
        named,
        named,
        Optional.of(now).filter(place -> !place.isEmpty()),
        change == SourceChange.LINE_DEAD
            ? Optional.empty()
            : Optional.of(new Finding.Since("0123456789", "2026-03-01")));
  }

  private Report with(List<Finding.MovedSource> moved) {
    return KbFixtures.with(
        plain,
        new SourceCheckResult(
            List.of(
                new SourceCheckResult.Folder("shop", Optional.of("abcdef0123"), Optional.of("cut")),
                new SourceCheckResult.Folder(
                    "lost", Optional.empty(), Optional.of("there is no such folder"))),
            moved),
        List.of(),
        Optional.empty());
  }

  private Report three() {
    return with(
        List.of(
            moved(1, SourceChange.GONE, "src/Lease.java:41", "core/Lease.java:43"),
            moved(2, SourceChange.LINE_DEAD, "LegacyGateway", ""),
            moved(3, SourceChange.GONE, HOSTILE, "")));
  }

  @Test
  void htmlHasASection() {
    Document html = Jsoup.parse(HtmlReport.render(three()));
    Element section = html.selectFirst("details:has(> summary:contains(Sources that moved))");
    assertEquals("Sources that moved 3", section.selectFirst("summary").text());
    assertEquals(3, section.select("li").size());
    String first = section.selectFirst("li").text();
    assertTrue(first.contains("its new path is probably core/Lease.java:43"), first);
    assertTrue(first.endsWith("source-0000000001"), first);
    assertTrue(html.selectFirst(".lead").text().contains("sources that moved (3)"));
    String intro = section.selectFirst("p").text();
    assertTrue(intro.contains("shop at commit abcdef0123: cut."), intro);
    assertTrue(intro.contains("lost was not looked at: there is no such folder."), intro);
    assertEquals(0, section.select("b").size());
    assertFalse(html.html().contains("\u001B"));
  }

  @Test
  void markdownAndTerminalTellTheSame() {
    String markdown = MarkdownReport.render(three());
    assertTrue(markdown.contains("## Sources that moved (3)"), markdown);
    assertTrue(
        markdown.contains("LegacyGateway points to LegacyGateway, which is not there"), markdown);
    String terminal = TerminalSummaryTest.plain(three());
    assertTrue(terminal.replace("\n", " ").contains("sources that moved (3)"), terminal);
    assertTrue(
        terminal.contains("Sources in lost were not looked at: there is no such folder"), terminal);
    assertTrue(terminal.contains("Sources in shop: cut"), terminal);
  }

  @Test
  void jsonHasAllFieldsAndABound() throws Exception {
    JsonNode json = KbFixtures.tree(three());
    assertEquals("abcdef0123", json.at("/sources/0/commit").asText());
    assertEquals("there is no such folder", json.at("/sources/1/trouble").asText());
    JsonNode first = json.at("/movedSources/0");
    assertEquals("gone", first.path("change").asText());
    assertEquals("core/Lease.java:43", first.path("now").asText());
    assertEquals("moved", first.at("/edit/0/if/0").asText());
    assertTrue(json.at("/movedSources/1/since").isNull());
    assertEquals(
        QuotedName.of(HOSTILE) + " was removed from shop by commit 0123456789 of 2026-03-01",
        json.at("/movedSources/2/says").asText());
    List<Finding.MovedSource> many = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      many.add(moved(i, SourceChange.LINE_DEAD, "Name_" + i, ""));
    }
    JsonNode large = KbFixtures.tree(with(many));
    assertEquals(1_000, large.path("movedSources").size());
    assertEquals(1_100, large.at("/totals/movedSources").asInt());
  }
}
