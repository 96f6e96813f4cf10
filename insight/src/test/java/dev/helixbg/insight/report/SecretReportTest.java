package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.JunkReason;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.List;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** Junk in each form of a report. */
class JunkReportTest {
  private static final String WHY = "it is <b>a</b> `path`|{{id}}\u001B[31m and nothing else";

  private final Report plain = KbFixtures.small().report();
  private final Report junk = plain.with(SourceCheckResult.NONE, one(plain), Optional.empty());

  static List<Finding.Junk> one(Report about) {
    return List.of(
        new Finding.Junk(
            "junk-0123456789",
            about.findings().entries().getFirst(),
            JunkReason.SAYS_NOTHING,
            WHY));
  }

  @Test
  void withoutJunkNothingIsSaid() throws Exception {
    assertFalse(HtmlReport.render(plain).contains("Junk"));
    assertFalse(MarkdownReport.render(plain).contains("Junk"));
    assertFalse(TerminalSummary.render(plain).contains("Junk"));
    assertEquals(0, new ObjectMapper().readTree(JsonReport.render(plain)).path("junk").size());
  }

  @Test
  void everyFormSaysWhatItIsAndWhy() throws Exception {
    Document html = Jsoup.parse(HtmlReport.render(junk));
    assertEquals("says nothing", html.select("#junk-0123456789 .verdict").text());
    assertTrue(html.select("#junk-0123456789 .how").text().contains("it is <b>a</b> `path`"));
    assertEquals("Junk 1", html.select("a[href=#junk]").text());
    assertTrue(html.text().contains("1 entry that may be junk"));
    String markdown = MarkdownReport.render(junk);
    assertTrue(markdown.contains("## Junk (1)"), markdown);
    assertTrue(markdown.contains("**says nothing** · "), markdown);
    assertTrue(TerminalSummary.render(junk, 120, false).contains("Junk                 1  "));
    JsonNode json = new ObjectMapper().readTree(JsonReport.render(junk));
    assertEquals("says nothing", json.at("/junk/0/reason").asText());
    assertEquals(1, json.at("/totals/junk").asInt());
  }
}
