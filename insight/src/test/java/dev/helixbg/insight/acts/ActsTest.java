package dev.helixbg.insight.acts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.acts.Act.When;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.EntryText;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Edits carried out on a model of helix do what their words say, and nothing else. */
class ActsTest {
  private static final Optional<PairVerdict> UNJUDGED = Optional.empty();

  private final List<NamedEntry> kb =
      HelixModel.kb(
          "auth", "Tokens live 15 minutes.",
          "auth", "[tags: gotcha]\nThe cookie is signed, not encrypted. Do not put names in it.",
          "web", "Login is a redirect.",
          "auth", "[links: auth:3 web:0 auth:0]\nSigned cookie, never encrypted.",
          "auth", "Keys rotate daily.",
          "web",
              "[tags: how-to]\n[source: web/Login.kt:7]\n[confidence: 0.7]\nOpen /login?debug=1.");

  private final Acts acts = new Acts(kb);

  @Test
  void withoutAVerdictThereIsAWayForEachThatThePairMayBe() {
    List<Act> ways = acts.on(relation(1, 3), UNJUDGED);
    assertEquals(
        List.of(List.of(When.SAME), List.of(When.OVERTAKEN), List.of(When.RELATED)),
        ways.stream().map(Act::when).toList());
    assertEquals(
        List.of(
            "remove auth:2 and keep auth:1",
            "remove auth:1 and keep auth:2",
            "link auth:2 to auth:1"),
        ways.stream().map(Act::words).toList());
    assertEquals(
        "{\"name\":\"edit\",\"arguments\":{\"action\":\"delete\",\"topic\":\"auth\","
            + "\"match_str\":\"Signed cookie, never encrypted.\"}}",
        ways.getFirst().calls().getFirst().json());
  }

  /** The older one says less, too: there is one way for both. */
  @Test
  void twoWaysThatAreOneAreToldOnce() {
    List<Act> ways = acts.on(relation(0, 1), UNJUDGED);
    assertEquals(List.of(When.SAME, When.OVERTAKEN), ways.get(0).when());
    assertEquals("remove auth:0 and keep auth:1", ways.get(0).words());
    assertEquals(2, ways.size());
  }

  @Test
  void aVerdictLeavesOneWayOrNone() {
    assertEquals(List.of(When.SAME), when(acts.on(relation(1, 3), said(Verdict.SAME))));
    assertEquals(List.of(When.RELATED), when(acts.on(relation(1, 3), said(Verdict.RELATED))));
    assertEquals(List.of(), acts.on(relation(1, 3), said(Verdict.DIFFERENT)));
  }

  @Test
  void onlyTheRedundantEntryIsRemoved() {
    HelixModel helix = carriedOut(acts.on(relation(1, 3), said(Verdict.SAME)));
    assertEquals(5, helix.size());
    assertEquals(
        List.of(
            "Tokens live 15 minutes.",
            "The cookie is signed, not encrypted. Do not put names in it.",
            "Keys rotate daily."),
        helix.contents("auth"));
  }

  /** Of identical entries none has words of its own: the place tells them apart. */
  @Test
  void identicalEntriesAreToldApartByTheirPlace() {
    List<NamedEntry> twins = HelixModel.kb("a", "x x", "a", "Copied.", "a", "Copied.");
    Act act = new Acts(twins).on(pair(twins, 1, 2), UNJUDGED).getFirst();
    assertEquals("remove a:1 and keep a:2", act.words());
    assertEquals("1", act.calls().getFirst().arguments().get("index"));
    assertFalse(act.calls().getFirst().arguments().containsKey("match_str"));
    HelixModel helix = new HelixModel(HelixModel.entries(twins));
    act.calls().forEach(helix::call);
    assertEquals(List.of("x x", "Copied."), helix.contents("a"));
  }

  /** The linked entry moves to the end of its topic; every link still leads where it led. */
  @Test
  void aLinkLeadsToTheOtherEntryAndOlderLinksToTheirs() {
    HelixModel helix = carriedOut(acts.on(relation(1, 3), said(Verdict.RELATED)));
    assertEquals(6, helix.size());
    HelixModel.Note linked = helix.in("auth").getLast();
    EntryText text = HelixModel.text(linked);
    assertEquals("Signed cookie, never encrypted.", text.content());
    assertEquals(
        List.of(
            "Keys rotate daily.", "Login is a redirect.", "Tokens live 15 minutes.", content(1)),
        text.links().stream().map(link -> HelixModel.text(helix.at(link)).content()).toList());
  }

  @Test
  void aMovedEntryKeepsItsTextAndWhatIsSaidOfIt() {
    HelixModel helix = carriedOut(acts.on(new Finding.Misfiled("m", kb.get(5), .1, "auth", .4)));
    assertEquals(List.of("Login is a redirect."), helix.contents("web"));
    EntryText moved = HelixModel.text(helix.in("auth").getLast());
    EntryText before = kb.get(5).entry().text();
    assertEquals(before, moved);
  }

  @Test
  void aTopicGoesIntoTheLargerOne() {
    HelixModel helix = carriedOut(acts.on(new Finding.TopicOverlap("t", "auth", "web", .9, 4, 2)));
    assertEquals(6, helix.in("auth").size());
    assertEquals(0, helix.in("web").size());
  }

  @Test
  void aMergeRevisesTheFullestAndRemovesTheOthers() {
    Judgements.Merge merge =
        new Judgements.Merge(
            "merge-1",
            List.of(kb.get(0), kb.get(1), kb.get(3)),
            "One text: Tokens live 15 minutes. Signed.");
    HelixModel helix = carriedOut(acts.on(merge));
    assertEquals(List.of("Keys rotate daily.", merge.text()), helix.contents("auth"));
    EntryText merged = HelixModel.text(helix.in("auth").getLast());
    assertEquals(List.of("gotcha"), merged.tags());
    assertTrue(merged.modified().isPresent());
    assertEquals(2, helix.contents("web").size());
  }

  /** Helix would store under another name, or take the link apart at the blank. */
  @Test
  void whatHelixWouldChangeIsLeftToTheReader() {
    List<NamedEntry> odd =
        HelixModel.kb(
            "My Notes", "First of all.", "plain", "Second.", "plain", "", "My Notes", "3");
    Acts ways = new Acts(odd);
    assertEquals(
        List.of(),
        ways.on(new Finding.Misfiled("m", odd.get(1), .1, "My Notes", .4)).getFirst().calls());
    assertEquals(
        List.of(),
        ways.on(new Finding.Misfiled("m", odd.get(2), .1, "plain", .4)).getFirst().calls());
    assertEquals(List.of(), ways.on(pair(odd, 0, 1), said(Verdict.RELATED)).getFirst().calls());
    assertEquals(
        "move all of My Notes into plain",
        ways.on(new Finding.TopicOverlap("t", "My Notes", "plain", .9, 2, 1)).getFirst().words());
  }

  @Test
  void severalKnowledgeBasesHaveNone() {
    assertEquals(List.of(), Acts.NONE.on(relation(1, 3), UNJUDGED));
    assertEquals(List.of(), Acts.NONE.on(new Finding.TopicOverlap("t", "a", "b", .9, 4, 2)));
    assertEquals(List.of(), Acts.NONE.on(new Finding.Misfiled("m", kb.get(5), .1, "auth", .4)));
  }

  @Test
  void aCallIsOneLineOfJsonWithTheVeryValues() throws IOException {
    String hostile = "\"quoted\"\n\t\\ \u202E\u0000 🦙 \uD800 …";
    HelixCall call = HelixCall.of("store", "topic", "t", "text", hostile, "tags", "");
    assertTrue(call.json().codePoints().allMatch(c -> c >= ' ' && c != 0x202E), call.json());
    JsonNode parsed = new ObjectMapper().readTree(call.json());
    assertEquals(hostile.replace('\uD800', '\uFFFD'), parsed.at("/arguments/text").textValue());
    assertFalse(parsed.at("/arguments").has("tags"));
  }

  private String content(int index) {
    return kb.get(index).entry().text().content();
  }

  private HelixModel carriedOut(List<Act> ways) {
    HelixModel helix = new HelixModel(HelixModel.entries(kb));
    ways.getFirst().calls().forEach(helix::call);
    return helix;
  }

  private static List<When> when(List<Act> ways) {
    assertEquals(1, ways.size());
    return ways.getFirst().when();
  }

  private Finding.Relation relation(int a, int b) {
    return pair(kb, a, b);
  }

  private static Finding.Relation pair(List<NamedEntry> kb, int a, int b) {
    Finding.Evidence evidence =
        new Finding.Evidence(1, 1, List.of(), Optional.empty(), Optional.empty());
    return new Finding.Relation("rel-1", kb.get(a), kb.get(b), .3, .7, evidence);
  }

  private static Optional<PairVerdict> said(Verdict verdict) {
    return Optional.of(new PairVerdict(verdict, .9, .05, .05, Double.NaN, false, false));
  }
}
