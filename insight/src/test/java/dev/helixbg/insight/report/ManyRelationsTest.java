package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** How much of a long list of relations each form of the report shows, and what leads. */
class ManyRelationsTest {
  private static final Finding.Evidence EVIDENCE =
      new Finding.Evidence(1, 2, List.of(), Optional.empty(), Optional.empty());

  private static Report report(int entries, int relations) {
    KbFixture kb = new KbFixture();
    NamedEntry[] all = new NamedEntry[entries];
    for (int i = 0; i < entries; i++) {
      all[i] = kb.entry("topic", 0, "Entry number " + i + ". " + "It says a bit more. ".repeat(15));
    }
    for (int i = 0; i < relations; i++) {
      int a = i % (entries - 1);
      kb.relation(all[a], all[a + 1], 1 - i * 1e-4, EVIDENCE);
    }
    return kb.report();
  }

  private static Document html(Report report) {
    return Jsoup.parse(HtmlReport.render(report));
  }

  /** A weak sign, so that a long list of it is no wall of cards. */
  @Test
  void tenMisfiledEntriesAreShownTheOthersFolded() {
    for (int count : new int[] {13, 14}) {
      KbFixture kb = new KbFixture();
      for (int i = 0; i < count; i++) {
        kb.misfiled(kb.entry("topic", 0, "Entry number " + i), 0.3, "other", 0.6);
      }
      Document page = html(kb.report());
      String section = "section[aria-labelledby=misfiled]";
      int open = count == 13 ? 13 : 10;
      assertEquals(open, page.select(section + " > article").size());
      assertEquals(count, page.select(section + " article").size());
      assertEquals(
          count == 13 ? "" : "4 more, less clear",
          page.select(section + " > details.more > summary").text());
    }
  }

  /** Ten in full, the rest of half as many as entries folded; where the others are is said. */
  @Test
  void halfAsManyPairsAsEntriesAreShownAndTheOthersCounted() throws IOException {
    Report report = report(120, 200);
    Document page = html(report);
    assertEquals(60, page.select("section[aria-labelledby=relations] article").size());
    assertEquals(10, page.select("section[aria-labelledby=relations] > article").size());
    assertTrue(page.text().contains("report.json has 140 more, ranked lower."));
    assertTrue(MarkdownReport.render(report).contains("report.json has 140 more, ranked lower."));
    assertTrue(MarkdownReport.render(report).contains("Most worth doing (10 of 200 candidates)"));
    assertTrue(TerminalSummary.render(report, 100, false).contains("Worth doing         10"));
    assertTrue(TerminalSummary.render(report, 100, false).contains("200 ranked, none judged"));
    JsonNode json = new ObjectMapper().readTree(JsonReport.render(report));
    assertEquals(200, json.get("relations").size());
    assertEquals(
        50, html(report(20, 70)).select("section[aria-labelledby=relations] article").size());
  }

  @Test
  void whatTheJudgeIsSureOfLeadsAndWhatItCallsDifferentIsFoldedAway() {
    Report plain = report(120, 40);
    List<Finding.Relation> relations = plain.findings().relations();
    Map<String, PairVerdict> verdicts = new HashMap<>();
    verdicts.put(
        relations.get(0).id(),
        new PairVerdict(Verdict.DIFFERENT, .9, .05, .05, Double.NaN, false, false));
    verdicts.put(
        relations.get(1).id(),
        new PairVerdict(Verdict.RELATED, .9, .05, .9, Double.NaN, false, false));
    verdicts.put(
        relations.get(30).id(),
        new PairVerdict(Verdict.SAME, .9, .9, .05, Double.NaN, false, false));
    Judgements judged =
        new Judgements(
            Optional.of("m"),
            Map.of(),
            verdicts,
            Map.of(),
            Map.of(),
            List.of(),
            Map.of(),
            0,
            Optional.of(new JudgeTrust(60, 55, Map.of(), 0.9, Optional.empty())));
    Report report = new Report(plain.findings(), plain.log(), plain.run(), judged, List.of());
    List<String> shown =
        html(report).select("section[aria-labelledby=relations] > article").eachAttr("id");
    assertEquals(relations.get(30).id(), shown.getFirst());
    assertEquals(relations.get(2).id(), shown.get(1));
    assertEquals(10, shown.size());
    List<String> folded =
        html(report).select("section[aria-labelledby=relations] > details article").eachAttr("id");
    assertEquals(relations.get(1).id(), folded.getFirst());
    assertEquals(relations.get(0).id(), folded.getLast());
    assertTrue(TerminalSummary.render(report, 100, false).contains("same"));
    String lead = html(report).select(".lead").text();
    assertTrue(lead.startsWith("40 candidate pairs of entries were ranked; 10 lead as most"), lead);
    assertTrue(lead.contains("judged 3 of them: 1 pair says the same, and 0 pairs have"), lead);
    assertTrue(TerminalSummary.render(report, 100, false).contains("40 ranked, 3 judged"));
  }

  /** Nobody is told to act on a coin. */
  @Test
  void ofAJudgeThatGuessesTheReportSaysSoInsteadOfCountingItsVerdicts() {
    Report plain = report(120, 40);
    String first = plain.findings().relations().getFirst().id();
    JudgeTrust coin = new JudgeTrust(60, 20, Map.of(), 0, Optional.empty());
    Judgements judged =
        new Judgements(
                Optional.of("m"),
                Map.of(),
                Map.of(first, new PairVerdict(Verdict.SAME, .9, .9, .05, Double.NaN, false, false)),
                Map.of(),
                Map.of(),
                List.of(),
                Map.of(),
                0,
                Optional.empty())
            .trusted(Optional.of(coin));
    Report report = new Report(plain.findings(), plain.log(), plain.run(), judged, List.of());
    String lead = html(report).select(".lead").text();
    assertTrue(lead.contains("judged 1 of them. " + JudgeTrust.GUESSING), lead);
    assertTrue(MarkdownReport.render(report).contains(lead), "the same in Markdown");
    assertTrue(TerminalSummary.render(report, 100, false).contains(JudgeTrust.GUESSING));
  }

  /** What an edit needs and a reader of a long list does not. */
  @Test
  void farDownTheListOfRelationsTextsAreShortInTheFile() throws IOException {
    int full = FindingJson.FULL_RELATIONS;
    byte[] bytes = JsonReport.render(report(80, full + 50));
    JsonNode relations = new ObjectMapper().readTree(bytes).get("relations");
    assertEquals(full + 50, relations.size());
    JsonNode last = relations.get(full - 1);
    assertEquals(0, last.at("/a/textOmitted").intValue());
    assertEquals(2, last.get("edit").size());
    JsonNode beyond = relations.get(full);
    assertEquals(full + 1, beyond.get("rank").intValue());
    assertEquals(200, beyond.at("/a/text").textValue().length());
    assertTrue(beyond.at("/a/textOmitted").intValue() > 0);
    assertEquals(0, beyond.get("edit").size());
    assertEquals("topic", beyond.at("/b/topic").textValue());
  }

  @Test
  void whatOnlyOneOfAPairSaysIsMarkedInItAndNowhereElse() {
    KbFixture kb = new KbFixture();
    NamedEntry a = kb.entry("auth", 1, "Tokens live 15 minutes.");
    NamedEntry b = kb.entry("auth", 2, "A token may live 20 minutes.");
    kb.relation(a, b, .5, EVIDENCE);
    kb.misfiled(a, .2, "web", .5);
    Document page = html(kb.report());
    assertEquals(
        List.of("15", "may", "20"),
        page.select("section[aria-labelledby=relations] mark").eachText());
    assertEquals(0, page.select("section[aria-labelledby=misfiled] mark").size());
    String markdown = MarkdownReport.render(kb.report());
    assertTrue(markdown.contains("Only here: `15`\n"), markdown);
    assertTrue(markdown.contains("Only here: `may`, `20`\n"), markdown);
  }
}
