package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.insight.findings.FindingsBench.Found;
import dev.helixbg.insight.findings.FindingsBench.Judged;
import dev.helixbg.insight.findings.FindingsBench.Named;
import dev.helixbg.insight.findings.FindingsBench.Planted;
import dev.helixbg.insight.findings.FindingsBench.Result;
import dev.helixbg.insight.findings.FindingsBench.Said;
import dev.helixbg.insight.search.AlreadySaid.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests the results of {@code bench findings}, so that a change of the score cannot lower them
 * unnoticed.
 */
class FindingsBenchTest {
  private static Result result;

  @BeforeAll
  static void measure() throws Exception {
    result =
        FindingsBench.run(
            Path.of("../embed/target/test-cache").toAbsolutePath(), 2, Precision.FP32, false);
  }

  @Test
  void theKnowledgeBaseHoldsWhatTheTruthSays() {
    assertEquals(382, result.entries());
    assertEquals(
        Map.of(Planted.REWRITE, 48, Planted.OVERTAKEN, 40, Planted.LOOKALIKE, 25),
        result.planted());
  }

  @Test
  void theListNamesMostOfWhatWasPlanted() {
    assertAtLeast(24, 38);
    assertAtLeast(33, 50);
    assertAtLeast(55, 100);
    assertAtLeast(70, 191);
  }

  /** With the known truth as a judge, every verdict is right. */
  @Test
  void withTheTruthAsJudgeWhatItWasAskedIsUnderTheRightHeading() {
    for (Judged row : result.judged()) {
      Named list = result.named("relations", row.pairs());
      Planted kind =
          switch (row.verdict()) {
            case SAME -> Planted.REWRITE;
            case OVERTAKEN -> Planted.OVERTAKEN;
            default -> Planted.LOOKALIKE;
          };
      assertEquals(list.found().get(kind), row.right(), row::toString);
      assertEquals(row.right(), row.said(), row::toString);
      assertEquals(result.planted().get(kind), row.planted());
    }
    assertEquals(12, result.judged().size());
  }

  /** The report has the true verdict for each pair that was asked about, and no other one. */
  @Test
  void theReportSaysOfEachPairWhatIsTrueOfIt() throws Exception {
    Map<String, String> truth = new HashMap<>();
    for (String line : Files.readAllLines(Path.of("src/test/resources/findings-kb/truth.tsv"))) {
      String[] fact = line.split("\t");
      switch (fact[0]) {
        case "rewrite" -> truth.put(pair(fact[1], fact[2]), "same");
        case "overtaken" -> truth.put(pair(fact[1], fact[2]), "overtaken");
        case "lookalike" -> truth.put(pair(fact[1], fact[2]), "related");
        default -> {}
      }
    }
    JsonNode report = new ObjectMapper().readTree(result.reportByTruth());
    Set<String> acts = new HashSet<>();
    for (JsonNode relation : report.get("relations")) {
      JsonNode verdict = relation.get("verdict");
      if (relation.get("rank").asInt() > 191) {
        assertTrue(verdict.isNull(), "not asked: " + relation.get("id"));
      } else {
        String expected =
            truth.getOrDefault(pair(name(relation.get("a")), name(relation.get("b"))), "different");
        assertEquals(expected, verdict.get("verdict").asText(), relation.toString());
        assertEquals("the truth", verdict.get("by").asText());
        String a = relation.at("/a/written").asText();
        String b = relation.at("/b/written").asText();
        assertTrue(a.equals(b) || a.compareTo(b) < 0 == verdict.get("newer").asText().equals("b"));
        if (expected.equals("same") || expected.equals("overtaken")) {
          acts.add(relation.get("id").asText());
        }
      }
    }
    assertEquals(20, report.get("leading").size());
    report.get("leading").forEach(id -> assertTrue(acts.contains(id.asText()), id::asText));
  }

  private static String name(JsonNode entry) {
    return entry.get("topic").asText() + "@" + entry.get("written").asText().replace('T', ' ');
  }

  private static String pair(String one, String other) {
    return one.compareTo(other) < 0 ? one + " " + other : other + " " + one;
  }

  /** The pair judge, which was trained on other notes, improves the order of the list. */
  @Test
  void whatWasReadRanksBetterThanWhatWasNot() {
    for (int pairs : new int[] {10, 20, 38}) {
      int lookalikes = result.named("read", pairs).found().get(Planted.LOOKALIKE);
      int unread = result.named("relations", pairs).found().get(Planted.LOOKALIKE);
      assertTrue(lookalikes <= unread, lookalikes + " of " + pairs);
    }
    assertTrue(result.named("read", 10).wanted() >= 7, () -> result.named("read", 10).toString());
    assertTrue(result.named("read", 38).wanted() >= 26, () -> result.named("read", 38).toString());
    assertTrue(result.named("read", 38).others() >= 3, () -> result.named("read", 38).toString());
    assertEquals(
        result.named("relations", 191).wanted(),
        result.named("read", 191).wanted(),
        "all are read");
    assertTrue(result.leadingRead().of() <= 20);
  }

  /** The agent gives 60 answers, of which 95 % are right. No training used this KB. */
  @Test
  void whatNoAgentHasReadRanksBetterByWhatTheJudgeLearnsFromAnswers() {
    LearningBench.Gain gain = result.learned().get(1);
    assertEquals(20, gain.first());
    assertTrue(gain.after() >= gain.before() + 0.3, result.learned()::toString);
  }

  @Test
  void whatLeadsTheReportIsWorthAnAct() {
    assertTrue(result.leadingWithoutModel() >= 7, result::toString);
    assertEquals(20, result.leadingWithOracle());
    assertEquals(80, result.listed());
    assertEquals(0, result.far(), "nothing that is worth an act is too far to lead");
  }

  /** The trial of language models has pairs of this KB; -Dtrial.update=true updates it. */
  @Test
  void theTrialOfTheJudgeIsPartOfThisKnowledgeBase() throws Exception {
    Path file = Path.of("src/main/resources/dev/helixbg/insight/judge/trial.jsonl");
    List<String> lines = result.trial();
    if (Boolean.getBoolean("trial.update")) {
      Files.write(file, lines);
    }
    assertEquals(60, lines.size());
    assertEquals(lines, Files.readAllLines(file));
  }

  private static void assertAtLeast(int wanted, int pairs) {
    Named relations = result.named("relations", pairs);
    Named cosine = result.named("cosine", pairs);
    assertTrue(relations.wanted() >= wanted, relations::toString);
    assertTrue(relations.wanted() >= cosine.wanted(), () -> relations + ", " + cosine);
  }

  @Test
  void passagesRaiseWhatIsFound() {
    for (int pairs : new int[] {38, 100, 191}) {
      int whole = result.named("entries", pairs).wanted();
      assertTrue(result.named("relations", pairs).wanted() >= whole, () -> pairs + " pairs");
    }
    assertTrue(result.named("relations", 191).wanted() >= 80);
  }

  /** Tests the figures of docs/findings.md on the answers of {@code related}. */
  @Test
  void whatIsSaidAlreadyInOtherWordsIsNotCalledNew() {
    assertSaid("rewrite", 48, 0, 48, 0);
    assertSaid("overtaken", 40, 0, 40, 0);
    assertSaid("lookalike", 25, 0, 24, 1);
    assertSaid("others", 161, 0, 132, 29);
    assertSaid("of another subject", 154, 0, 22, 132);
  }

  private static void assertSaid(String what, int asked, int yes, int perhaps, int no) {
    Said said = result.said(what);
    assertEquals(
        List.of(asked, yes, perhaps, no),
        List.of(
            said.asked(),
            said.answers().get(Answer.YES),
            said.answers().get(Answer.PERHAPS),
            said.answers().get(Answer.NO)));
  }

  @Test
  void searchesFindWhatStandsLateInLongNotes() {
    assertFound("late sentences", 60, 60, 60);
    assertFound("questions", 36, 24, 34);
    assertFound("more questions", 34, 20, 32);
    assertFound("short notes", 42, 11, 27);
  }

  private static void assertFound(String what, int asked, int first, int amongTen) {
    Found found = result.found(what, "passages and words");
    assertEquals(asked, found.asked());
    assertTrue(found.first() >= first && found.amongTen() >= amongTen, found::toString);
  }
}
