package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** Tests how much of a long list of relations each format shows, and which relations lead. */
class ManyRelationsTest {
  private static final Finding.Evidence EVIDENCE = NearestPair.nearness(1, 2);

  private static Report report(int entries, int relations) {
    KbFixture kb = new KbFixture();
    List<NamedEntry> all = KbFixtures.entries(kb, entries, 1);
    for (int i = 0; i < relations; i++) {
      int a = i % (entries - 1);
      kb.relation(all.get(a), all.get(a + 1), 1 - i * 1e-4, EVIDENCE);
    }
    return kb.report();
  }

  private static Document html(Report report) {
    return Jsoup.parse(HtmlReport.render(report));
  }

  private static final String LEADING = "section[aria-labelledby=leading] > article";

  private static final String LINES = "section[aria-labelledby=others] > details > ul.lines > li";

  /** Ten pairs are shown in full, and 100 on one line each; the other pairs are counted. */
  @Test
  void aHundredPairsThatDoNotLeadAreListedAndTheOthersCounted() throws IOException {
    Report report = report(120, 340);
    Document page = html(report);
    assertEquals(10, page.select(LEADING).size());
    assertEquals(100, page.select(LINES).size());
    assertEquals(
        "Other pairs 100 of 330 shown",
        page.select("#others ~ details > summary").getFirst().text());
    String markdown = MarkdownReport.render(report);
    assertTrue(markdown.contains("## Other pairs (100 of 330 shown)"));
    assertEquals("10 pairs of entries are worth a look", page.select("h1").text());
    assertTrue(markdown.startsWith("# 10 pairs of entries are worth a look\n"));
    assertTrue(
        TerminalSummaryTest.plain(report).contains("\n10 pairs of entries are worth a look\n"));
    assertTrue(TerminalSummaryTest.plain(report).contains("340 ranked, none judged"));
    assertEquals(340, KbFixtures.tree(report).get("relations").size());
  }

  /** The page must open at once in a browser, even with long texts and names and many findings. */
  @Test
  void thePageOfTwoThousandEntriesIsAtMostAMegabyte() {
    KbFixture kb = new KbFixture();
    NamedEntry[] all = new NamedEntry[2_000];
    for (int i = 0; i < all.length; i++) {
      String text =
          "Eintrag %d über „Größe“ <&> %s".formatted(i, "Wort%d läuft über. ".formatted(i));
      all[i] =
          kb.entry(
              "folder-%d/with/a/long/name/".formatted(i % 600),
              29_540_000,
              text.repeat(400),
              "tag");
    }
    for (int i = 0; i < 1_000; i++) {
      kb.relation(all[i], all[i + 1], 1 - i * 1e-4, EVIDENCE);
      kb.overlap(
          "folder-%d/with/a/long/name/".formatted(i % 600), "folder-1/with/a/long/name/", 0.7);
      kb.copies(all[i], all[1_999 - i], all[1_500], all[1_501], all[1_502]);
    }
    int bytes = HtmlReport.render(kb.report()).getBytes(StandardCharsets.UTF_8).length;
    assertTrue(bytes <= 1_000_000, "%,d bytes".formatted(bytes));
  }

  @Test
  void whatTheJudgeIsSureOfLeadsAndWhatItCallsDifferentIsFoldedAway() {
    Report plain = report(120, 40);
    List<Finding.Relation> relations = plain.findings().relations();
    Map<String, PairVerdict> verdicts =
        Map.of(
            relations.get(0).id(), verdict(Verdict.DIFFERENT, .05, .05),
            relations.get(1).id(), verdict(Verdict.RELATED, .05, .9),
            relations.get(30).id(), verdict(Verdict.SAME, .9, .05));
    Report report =
        KbFixtures.with(plain, JudgedReportTest.judged(verdicts, JudgedReportTest.TRUSTED));
    List<String> shown = html(report).select(LEADING).eachAttr("id");
    assertEquals(relations.get(30).id(), shown.getFirst());
    assertEquals(relations.get(2).id(), shown.get(1));
    assertEquals(10, shown.size());
    assertNull(html(report).getElementById(relations.get(0).id()), "it has no texts");
    assertEquals(
        List.of("Other pairs 30"),
        html(report).select("#others ~ details:has(code:contains(rel)) > summary").eachText());
    assertTrue(TerminalSummaryTest.plain(report).contains("same"));
    String lead = html(report).select(".lead").text();
    assertTrue(
        lead.contains("These pairs are the most likely to be worth a look: 40 pairs were ranked."),
        lead);
    assertTrue(lead.contains("A language model has judged 3 of them."), lead);
    assertTrue(lead.startsWith("In about 1 of the 1 pair that was read, one entry can go."), lead);
    assertTrue(TerminalSummaryTest.plain(report).contains("40 ranked, 3 judged"));
  }

  private static PairVerdict verdict(Verdict said, double same, double related) {
    return new PairVerdict(said, .9, same, related, Double.NaN, false, false);
  }

  /** A judge that guesses must not suggest acts. */
  @Test
  void ofAJudgeThatGuessesTheReportSaysSoInsteadOfCountingItsVerdicts() {
    Report plain = report(120, 40);
    String first = plain.findings().relations().getFirst().id();
    Optional<JudgeTrust> coin = Optional.of(new JudgeTrust(60, 20, Map.of(), 0));
    Map<String, PairVerdict> verdicts = Map.of(first, verdict(Verdict.SAME, .9, .05));
    Report report = KbFixtures.with(plain, JudgedReportTest.judged(verdicts, coin));
    String lead = html(report).select(".lead").text();
    assertTrue(lead.contains("judged 1 of them. " + JudgeTrust.GUESSING), lead);
    assertTrue(MarkdownReport.render(report).contains(lead), "the same in Markdown");
    assertTrue(TerminalSummaryTest.plain(report).contains(JudgeTrust.GUESSING));
  }

  /** Only relations near the top of the list have full texts and edits. */
  @Test
  void farDownTheListOfRelationsTextsAreShortInTheFile() throws IOException {
    int full = FindingJson.FULL_RELATIONS;
    JsonNode relations = KbFixtures.tree(report(80, full + 50)).get("relations");
    assertEquals(full + 50, relations.size());
    JsonNode last = relations.get(full - 1);
    assertEquals(0, last.at("/a/textOmitted").intValue());
    assertEquals(2, last.get("edit").size());
    JsonNode beyond = relations.get(full);
    assertEquals(full + 1, beyond.get("rank").intValue());
    assertEquals(200, beyond.at("/a/text").textValue().length());
    assertTrue(beyond.at("/a/textOmitted").intValue() > 0);
    assertEquals(0, beyond.get("edit").size());
    assertEquals("topic-0", beyond.at("/b/topic").textValue());
  }

  @Test
  void whatOnlyOneOfAPairSaysIsMarkedInItAndNowhereElse() {
    KbFixture kb = new KbFixture();
    NamedEntry a = kb.entry("auth", 1, "Tokens live 15 minutes.");
    NamedEntry b = kb.entry("auth", 2, "A token may live 20 minutes.");
    kb.relation(a, b, .5, EVIDENCE);
    Document page = html(kb.report());
    assertEquals(List.of("15", "may", "20"), page.select("mark").eachText());
    String markdown = MarkdownReport.render(kb.report());
    assertTrue(markdown.contains("Words only in this entry: `15`\n"), markdown);
    assertTrue(markdown.contains("Words only in this entry: `may`, `20`\n"), markdown);
  }
}
