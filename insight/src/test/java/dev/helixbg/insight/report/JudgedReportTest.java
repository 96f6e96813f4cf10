package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

/** Tests what a language model adds to the reports, in every format. */
class JudgedReportTest {
  static final Optional<JudgeTrust> TRUSTED = Optional.of(new JudgeTrust(60, 55, Map.of(), 0.9));

  /** An answer of a model that must stay plain text in every format. */
  static final String HOSTILE =
      "\" title=evil onload=evil <img src=evil> <script>alert(1)</script> | **x** `y`"
          + " \u001B[31m\u202E";

  static Report judged(String words) {
    Report plain = KbFixtures.small().report();
    Findings findings = plain.findings();
    List<NamedEntry> entries = findings.entries();
    Map<String, LabelGuess> guesses = new HashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      guesses.put(
          entries.get(i).key(),
          i == 5
              ? new LabelGuess(LabelGuess.Origin.CLASSIFIER, Label.PERFORMANCE, 0.41, true)
              : new LabelGuess(LabelGuess.Origin.MODEL, Label.GOTCHA, 0.87, true));
    }
    Map<String, PairVerdict> verdicts =
        Map.of(
            findings.relations().get(0).id(),
            new PairVerdict(Verdict.SAME, 0.97, 0.97, 0.02, Double.NaN, false, false),
            findings.relations().get(2).id(),
            new PairVerdict(Verdict.DIFFERENT, 0.6, 0.1, 0.3, Double.NaN, false, true));
    return KbFixtures.with(
        plain,
        new Judgements(
                Optional.of("Qwen3 " + words),
                guesses,
                verdicts,
                Map.of(
                    "auth", "Refresh tokens rotate. " + words, "storage", "Backups run nightly."),
                List.of(
                    new Judgements.Merge(
                        "merge-0123456789", entries.subList(0, 2), "One. " + words)),
                Map.of(QuestionKind.LABEL, 3, QuestionKind.SUMMARY, 1))
            .trusted(TRUSTED, Optional.empty())
            .with(lessons(entries, words, 50), Map.of()));
  }

  private static Judgements.Lessons lessons(
      List<NamedEntry> entries, String words, int rightPairs) {
    return new Judgements.Lessons(
        Optional.of("Qwen3"),
        List.of(
            new Judgements.Lesson(
                "lesson-0123456789",
                "Repeats must do no harm. " + words,
                entries.subList(0, 3),
                List.of("One. " + words, "Two. " + words, "Three. " + words))),
        Optional.of(new Judgements.LessonTrust(40, 30, 60, rightPairs)));
  }

  private static Element section(Document page, String title) {
    return page.selectFirst("details:has(> summary:matchesOwn(^" + title + "))");
  }

  @Test
  void lessonsThatRecurAreTold() {
    Element section = section(html(judged("x")), "Recurring lessons");
    assertEquals("Repeats must do no harm. x", section.selectFirst(".verdict").text());
    assertTrue(section.text().contains("3 entries of 2 topics lesson-0123456789"), section.text());
    String markdown = MarkdownReport.render(judged("x"));
    assertTrue(markdown.contains("## Recurring lessons (1)"), markdown);
    assertTrue(markdown.contains("- `Repeats must do no harm. x`: "), markdown);
  }

  @Test
  void ofAReaderThatGuessesTheSectionOfLessonsSaysSo() {
    Report report = judged("x");
    Judgements guessed =
        report.judgements().with(lessons(report.findings().entries(), "x", 30), Map.of());
    Document page = html(KbFixtures.with(report, guessed));
    Element section = section(page, "Recurring lessons");
    assertTrue(section.selectFirst("p").text().contains("it is guessing"), section.text());
    assertTrue(page.select(".lead").text().contains("recurring lessons, guessed (1)"));
  }

  private static Document html(Report report) {
    return Jsoup.parse(HtmlReport.render(report));
  }

  @Test
  void htmlShowsVerdictsLabelsSentencesAndProposals() {
    Document page = html(judged("<b>"));
    assertEquals("Same 97 %", page.selectFirst("article[id^=rel] h3.act").text());
    assertTrue(section(page, "Proposed merges").text().endsWith("merge-0123456789"));
    assertFalse(page.text().contains("One. <b>"), "findings ID shows the text");
    assertTrue(section(page, "Topics").text().contains("Refresh tokens rotate. <b>"));
    String note = section(page, "Who judged").text();
    assertTrue(note.contains("4 questions are left for the next run"), note);
  }

  /** Returns a report on four entries. Each of the six pairs has the verdict <i>overtaken</i>. */
  private static Report allOvertaken(Optional<JudgeTrust> trust) {
    KbFixture kb = new KbFixture();
    NamedEntry a = kb.entry("x", 1, "The bridge opens at eight.");
    NamedEntry b = kb.entry("x", 2, "The bridge opens at nine now.");
    NamedEntry c = kb.entry("x", 3, "The bridge does not open any more.");
    NamedEntry d = kb.entry("x", 4, "The bridge was taken down in May.");
    List<NamedEntry> all = List.of(a, b, c, d);
    for (int i = 0; i < 4; i++) {
      for (int j = i + 1; j < 4; j++) {
        kb.pair(all.get(i), all.get(j), 0.9);
      }
    }
    Report plain = kb.report();
    Map<String, PairVerdict> verdicts = new HashMap<>();
    for (Finding.Relation pair : plain.findings().relations()) {
      verdicts.put(
          pair.id(), new PairVerdict(Verdict.OVERTAKEN, 0.9, 0.05, 0.05, 0.9, false, false));
    }
    return KbFixtures.with(plain, judged(verdicts, trust));
  }

  /** Returns judgements that contain only verdicts on pairs. */
  static Judgements judged(Map<String, PairVerdict> verdicts, Optional<JudgeTrust> trust) {
    return new Judgements(Optional.of("Qwen3"), Map.of(), verdicts, Map.of(), List.of(), Map.of())
        .trusted(trust, Optional.empty());
  }

  @Test
  void pairsAreCountedAsPairsAndNotAsEntries() {
    String said = html(allOvertaken(TRUSTED)).text();
    assertTrue(said.contains("6 pairs of entries are worth a look"), said);
    assertTrue(said.contains("A language model has judged 6 of them"), said);
    assertFalse(said.contains("6 entries"), said);
  }

  @Test
  void thatAModelWasNotMeasuredIsSaidWhereverItIsNamed() {
    Report report = allOvertaken(Optional.empty());
    Document page = html(report);
    assertTrue(page.selectFirst("main").text().contains(JudgeTrust.UNMEASURED), page.text());
    assertTrue(section(page, "Who judged").text().contains(JudgeTrust.UNMEASURED));
    assertTrue(MarkdownReport.render(report).contains(JudgeTrust.UNMEASURED));
    String terminal = TerminalSummaryTest.plain(report);
    assertTrue(
        terminal.contains("This model has not been measured as a judge yet. Until"), terminal);
  }

  @Test
  void jsonHasAllOfIt() throws Exception {
    JsonNode json = KbFixtures.tree(judged(HOSTILE));
    assertEquals("Qwen3 " + HOSTILE, json.get("languageModel").asText());
    assertEquals("same", json.at("/relations/0/verdict/verdict").asText());
    assertEquals(0.02, json.at("/relations/0/verdict/related").asDouble());
    assertTrue(json.at("/relations/1/verdict").isNull());
    assertEquals("Refresh tokens rotate. " + HOSTILE, json.at("/topics/0/summary").asText());
    assertTrue(json.at("/topics/1/summary").isNull());
    assertEquals("One. " + HOSTILE, json.at("/merges/0/proposedText").asText());
    assertEquals(6, json.get("entries").size());
    assertEquals("decision", json.at("/entries/2/label").asText());
    assertEquals("gotcha", json.at("/entries/2/guess/label").asText());
    assertEquals("CLASSIFIER", json.at("/entries/5/guess/origin").asText());
    assertEquals(3, json.at("/judgement/left/label").asInt());
    assertEquals(0, json.at("/judgement/left/pair").asInt());
  }

  @Test
  void markdownAndTerminalTellTheVerdicts() {
    Report report = judged("x");
    String markdown = MarkdownReport.render(report);
    assertTrue(markdown.contains("### `Same 97 %`"), markdown);
    assertTrue(markdown.contains("## Proposed merges (1)"));
    assertTrue(markdown.contains("## Other pairs (1)"));
    assertTrue(markdown.contains("- `auth`: 2 · `Refresh tokens rotate. x`"), markdown);
    String terminal = TerminalSummaryTest.plain(report);
    assertTrue(terminal.contains("Qwen3 x: 2 verdicts, 2 summaries; 4 questions left"), terminal);
    assertTrue(
        terminal.contains("  same 97 %: Refresh tokens rotate on every use. · auth:0 ~ auth:1\n"),
        terminal);
    Finding.Relation apart = report.findings().relations().get(2);
    assertFalse(terminal.contains(apart.a().name() + " ~ " + apart.b().name()), terminal);
  }
}
