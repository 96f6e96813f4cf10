package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Relation;
import dev.helixbg.insight.findings.Finding.Tier;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** Tests reports after the pair judge has read the first pairs. */
class AssessedReportTest {
  private static final Report UNREAD = KbFixtures.large().report();
  private static final List<NamedEntry> ENTRIES = UNREAD.findings().entries();

  private static Relation pair(int a, int b, double same, double overtaken, Tier tier) {
    return pair(a, b, 0.6, same, overtaken, tier);
  }

  private static Relation pair(
      int a, int b, double similarity, double same, double overtaken, Tier tier) {
    return NearestPair.of("rel-" + a + "-" + b, ENTRIES.get(a), ENTRIES.get(b), 0.2, similarity)
        .assessed(
            new Assessment(
                same, overtaken, (1 - same - overtaken) / 2, 1, tier, Optional.empty(), false));
  }

  private static Report report(List<Relation> relations) {
    return KbFixtures.with(UNREAD, relations);
  }

  private static List<Relation> many(int likely) {
    List<Relation> relations = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      relations.add(
          i < likely
              ? pair(i, i + 50, 0.3, 0.4, Tier.RELATED)
              : pair(i, i + 50, 0.1, 0.1, i % 2 == 0 ? Tier.RELATED : Tier.NONE));
    }
    return relations;
  }

  @Test
  void whatIsFarDoesNotLeadWhateverThePairJudgeSays() throws IOException {
    Relation near = pair(1, 2, 0.6, 0.7, 0.1, Tier.RELATED);
    Relation far = pair(3, 4, 0.44, 0.8, 0.1, Tier.RELATED);
    JsonNode leading = KbFixtures.tree(report(List.of(far, near))).get("leading");
    assertEquals(1, leading.size());
    assertEquals(near.id(), leading.get(0).asText());
  }

  @Test
  void atMostTwentyLeadAndFewerWhereFewerAreLikely() throws IOException {
    for (int likely : new int[] {0, 3, 20, 35}) {
      List<String> leading = new ArrayList<>();
      KbFixtures.tree(report(many(likely))).get("leading").forEach(id -> leading.add(id.asText()));
      leading.removeIf(id -> !id.startsWith("rel-"));
      assertEquals(Math.min(20, likely), leading.size());
    }
  }

  @Test
  void theRestIsFolded() {
    Document html = Jsoup.parse(HtmlReport.render(report(many(25))));
    List<String> folds =
        html.select("#others ~ details:has(code:contains(rel)) > summary").eachText();
    assertEquals(List.of("Other pairs 20"), folds);
    assertEquals(
        List.of("A may be overtaken", "probably not worth acting on", "related"),
        html.select("#others ~ details .verdict").eachText().stream().distinct().toList());
    String lead = html.select(".lead").text();
    assertTrue(lead.contains("In about 14 of the 20 pairs, one entry can go"), lead);
    assertTrue(lead.contains("the pair judge that comes with helix-bg has read all of them"), lead);
    assertTrue(
        html.select("article[id^=rel] .why").text().contains("70 % likely that one entry can go"));
    String unread = Jsoup.parse(HtmlReport.render(UNREAD)).select(".lead").text();
    assertTrue(unread.contains("No model has read the pairs"), unread);
  }

  @Test
  void wordsSayWhichOneIsOvertaken() {
    String markdown =
        MarkdownReport.render(
            report(
                List.of(
                    pair(1, 2, 0.1, 0.8, Tier.LIKELY_OVERTAKEN),
                    pair(3, 4, 0.9, 0.05, Tier.LIKELY_SAME),
                    pair(5, 6, 0.4, 0.2, Tier.RELATED),
                    pair(7, 8, 0.6, 0.395, Tier.RELATED))));
    boolean aIsOlder = ENTRIES.get(1).isOlderThan(ENTRIES.get(2));
    assertTrue(markdown.contains("### `" + (aIsOlder ? "A" : "B") + " is likely overtaken`"));
    assertTrue(markdown.contains("### `Likely the same`"));
    assertTrue(markdown.contains("### `May be the same`"));
    assertTrue(markdown.contains("### `The same, or overtaken`"), markdown);
    assertTrue(markdown.contains("nearly certain that one entry can go"), markdown);
  }

  @Test
  void whatRepeatsTheOtherLeadsThoughNoActIsLikely() throws IOException {
    Relation unlikely = pair(1, 2, 0.1, 0.02, Tier.NONE);
    Relation repeats =
        unlikely.assessed(new Assessment(0.1, 0.02, 0.44, 0, Tier.NONE, Optional.empty(), true));
    List<Relation> relations =
        List.of(pair(5, 6, 0.4, 0.2, Tier.RELATED), repeats, pair(3, 4, 0.1, 0.02, Tier.NONE));
    assertEquals(
        List.of("rel-5-6", "rel-1-2"),
        JudgedRelations.of(relations, Judgements.NONE).leading().stream()
            .map(Finding::id)
            .toList());
    assertEquals(
        "one repeats the other",
        KbFixtures.tree(report(relations)).at("/relations/1/assessment/words").asText());
  }

  @Test
  void threeThatSayTheSameAreAGroupAndFollowEachOther() throws IOException {
    List<Relation> relations =
        List.of(
            pair(1, 2, 0.9, 0, Tier.LIKELY_SAME),
            pair(10, 11, 0.8, 0, Tier.LIKELY_SAME),
            pair(2, 3, 0.7, 0, Tier.RELATED),
            pair(12, 13, 0, 0.7, Tier.RELATED));
    JudgedRelations judged = JudgedRelations.of(relations, Judgements.NONE);
    assertEquals(
        List.of("rel-1-2", "rel-2-3", "rel-10-11", "rel-12-13"),
        judged.leading().stream().map(Finding::id).toList());
    assertTrue(
        MarkdownReport.render(report(relations)).contains(" · `3 entries may say the same: "),
        "as code, since names of entries are in it");
  }

  @Test
  void likelyPairsHaveOneActAndOthersHaveTheirChoice() throws IOException {
    JsonNode relations =
        KbFixtures.tree(
                report(
                    List.of(
                        pair(1, 2, 0.95, 0, Tier.LIKELY_SAME), pair(3, 4, 0.4, 0.3, Tier.RELATED))))
            .get("relations");
    assertEquals(1, relations.get(0).get("edit").size());
    assertTrue(relations.get(1).get("edit").size() > 1);
    assertEquals("likely-same", relations.get(0).at("/assessment/tier").asText());
    assertEquals(0.7, relations.get(1).at("/assessment/act").asDouble(), 1e-9);
    List<String> fields = new ArrayList<>();
    relations.get(0).get("assessment").fieldNames().forEachRemaining(fields::add);
    assertEquals(
        List.of("words", "tier", "act", "same", "overtaken", "related", "older", "objection"),
        fields);
  }

  @Test
  void theTerminalSaysWhatWasRead() {
    String summary = TerminalSummary.render(report(many(2))).replace('\n', ' ');
    assertTrue(summary.contains("40 ranked, 40 read, none judged"), summary);
  }
}
