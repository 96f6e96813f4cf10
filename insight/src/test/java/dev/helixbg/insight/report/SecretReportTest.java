package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.Finding;
import java.util.List;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** Tests that each format of a report lists entries with a secret. */
class SecretReportTest {
  private static final String SAYS = "its form suggests that it holds a secret: GitHub token";

  private final Report plain = KbFixtures.small().report();
  private final Report report =
      KbFixtures.with(plain, KbFixtures.NO_SOURCES, one(plain), Optional.empty());

  static List<Finding.Secret> one(Report about) {
    return List.of(
        new Finding.Secret(
            "secret-0123456789", about.findings().entries().getFirst(), "GitHub token"));
  }

  @Test
  void everyFormSaysWhatTheEntryHolds() throws Exception {
    Document html = Jsoup.parse(HtmlReport.render(report));
    assertTrue(html.select("li:contains(secret-0123456789)").text().contains(SAYS));
    assertEquals("Secrets 1", html.select("summary:contains(Secrets)").text());
    assertTrue(html.text().contains("Also found: secrets (1)"));
    String markdown = MarkdownReport.render(report);
    assertTrue(markdown.contains("## Secrets (1)"), markdown);
    assertTrue(markdown.contains("`" + SAYS + "` · "), markdown);
    assertTrue(TerminalSummaryTest.plain(report).contains("Also found: secrets (1)"));
    JsonNode json = KbFixtures.tree(report);
    assertEquals(SAYS, json.at("/secrets/0/says").asText());
    assertEquals(1, json.at("/totals/secrets").asInt());
  }
}
