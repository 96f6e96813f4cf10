package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.WrittenReport;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.StandInHelix;
import dev.helixbg.insight.agents.AgentQuestion;
import dev.helixbg.insight.agents.KnownPairs;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.findings.FindingsBench;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the questions that agents get, and the storing of their answers. */
class QuestionRequestsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
  private static final int PAIRS = 12;

  private Kb kb;
  private KbStore store;
  private FileHelix helix;
  private final List<String> findings = new ArrayList<>();

  /**
   * Writes a report of twelve pairs. The last two are leads. The later a pair, the less certain is
   * the pair judge.
   */
  @BeforeEach
  void report(@TempDir Path folder) throws Exception {
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    store = DaemonFixture.store(folder, kb);
    helix = new FileHelix(kb.dataLog());
    ObjectNode report = Json.object();
    for (int i = 0; i < PAIRS; i++) {
      helix.call("store", "topic", "t", "text", older(i));
      helix.call("store", "topic", "t", "text", newer(i));
      String a = TextKey.of("m", "t " + older(i)).hex();
      String b = TextKey.of("m", "t " + newer(i)).hex();
      String id = "rel-%010x".formatted(i);
      findings.add(id);
      ObjectNode pair = report.withArray("relations").addObject();
      pair.put("rank", i + 1).put("id", id).put("similarity", 0.9);
      pair.putObject("a").put("name", "t:" + 2 * i).put("topic", "t").put("key", a);
      pair.putObject("b").put("name", "t:" + (2 * i + 1)).put("topic", "t").put("key", b);
      pair.putObject("assessment").put("act", 0.5 - (PAIRS - i) / 100.0);
    }
    report.withArray("leading").add(findings.get(PAIRS - 2)).add(findings.get(PAIRS - 1));
    WrittenReport.write(store, report);
  }

  private static String older(int i) {
    return "The note number " + i;
  }

  private static String newer(int i) {
    return i == 0 ? "same ".repeat(400) + "\n\u001b[2J{\"id\": 1}" : "The other note, " + i;
  }

  /** Returns the id under which a client answers the question about a pair. */
  private String id(int pair) {
    return given(AgentQuestion.ofPair(older(pair), newer(pair)));
  }

  private String given(String question) {
    return store.agentAnswers().given(question);
  }

  private Map<String, KnownPairs.Known> known() {
    return KnownPairs.next(1000, Set.of()).stream()
        .collect(Collectors.toMap(known -> given(known.id()), known -> known));
  }

  private QuestionRequests requests() {
    return requests(store, "m");
  }

  static QuestionRequests requests(KbStore store, String model) {
    PresentFindings present =
        new PresentFindings(new PresentEntries(DataLog.read(store.kb().dataLog()), model));
    return new QuestionRequests(
        new FindingRequests(store, Optional.empty(), present), Optional::empty, FakeModel::new);
  }

  static ObjectNode request(String client) {
    return Json.object().put("client", client).put("clientVersion", "1");
  }

  private ObjectNode give(String client, int count, Instant at) throws Exception {
    return requests().give(request(client).put("count", count), at);
  }

  private static List<String> ids(ObjectNode given) {
    return given.path("questions").findValuesAsText("id");
  }

  private Set<String> pairs(ObjectNode given) {
    Set<String> ids = new HashSet<>(ids(given));
    ids.removeAll(known().keySet());
    return ids;
  }

  private ObjectNode take(String client, Instant at, String... idsAndAnswers) throws Exception {
    return take(requests(), client, at, idsAndAnswers);
  }

  static ObjectNode take(
      QuestionRequests requests, String client, Instant at, String... idsAndAnswers)
      throws Exception {
    ObjectNode request = request(client);
    ArrayNode answers = request.putArray("answers");
    for (int i = 0; i < idsAndAnswers.length; i += 2) {
      answers.addObject().put("id", idsAndAnswers[i]).put("answer", idsAndAnswers[i + 1]);
    }
    return requests.take(request, at);
  }

  static String why(JsonNode taken) {
    return String.join("; ", taken.path("refused").findValuesAsText("why"));
  }

  @Test
  void whatLeadsIsAskedFirstThenWhatTheJudgeIsLeastSureOf() throws Exception {
    ObjectNode first = give("one", 10, NOW);
    assertEquals(10, first.path("questions").size());
    assertEquals(
        Set.of(id(11), id(10), id(9), id(8), id(7), id(6)), pairs(first), "and four are known");
    assertEquals(6, first.path("left").asInt());
    assertEquals("[\"same\",\"overtaken\",\"related\",\"different\"]", first.path("answers") + "");
    for (JsonNode question :
        first.path("questions")) { // no field may mark the pairs with known answers
      assertEquals(Set.of("id", "older", "newer"), names(question));
      assertEquals(Set.of("text"), names(question.path("older")));
    }
    assertEquals(ids(first).stream().sorted().toList(), ids(first));
  }

  private static Set<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet());
  }

  @Test
  void aLongTextIsBoundedAndIsData() throws Exception {
    ObjectNode all = give("one", 20, NOW);
    for (JsonNode question : all.path("questions")) {
      assertTrue(question.toString().length() < 2_000, question::toString);
      if (question.path("id").asText().equals(id(0))) {
        assertEquals(PairQuestions.MOST_SHOWN, question.at("/newer/text").asText().length());
        assertEquals(newer(0).length() - 800, question.at("/newer/omitted").asInt());
        assertEquals(TextKey.of("m", "t " + newer(0)).hex(), question.at("/newer/entry").asText());
      }
    }
    assertFalse(all.toString().contains("\u001b"));
  }

  /** Tokens by the project's estimate, of the two texts, the JSON around them, and the answer. */
  @Test
  void aPairWithItsAnswerCostsAtMost600Tokens() throws Exception {
    List<String> texts = new ArrayList<>();
    Files.write(kb.dataLog(), FindingsBench.log());
    DataLog.read(kb.dataLog()).entries().forEach(one -> texts.add(one.text().content()));
    for (String language : List.of("de", "ru", "ja", "zh")) {
      texts.add(FindingsBench.resource("/related/" + language + ".tsv"));
    }
    texts.add("ｘ".repeat(5_000));
    texts.add("🜁".repeat(5_000));
    String key = "0123456789abcdef".repeat(2);
    for (String text : texts) {
      int match = text.length() / 2;
      ObjectNode one = PairQuestions.excerpt(text, match, Optional.of(key));
      String id = key.substring(16);
      String answer = Json.object().put("id", id).put("answer", "overtaken").toString();
      ObjectNode both = Json.object();
      both.set("older", one);
      both.set("newer", one);
      String pair = PairQuestions.given(id, List.of(), both, NOW).toJson(id) + answer;
      int tokens = Passage.estimatedTokens(pair, 10_000);
      assertTrue(tokens <= 600, tokens + " tokens: " + pair);
      assertTrue(!one.has("omitted") || one.path("text").asText().length() > 100, one::toString);
    }
  }

  @Test
  void aBoundOfADayHoldsAndNothingIsGivenTwiceInIt() throws Exception {
    Set<String> given = new HashSet<>();
    for (int page = 0; page < 4; page++) {
      for (String id : ids(giveTenOfFifteenADay(NOW.plusSeconds(60 * page)))) {
        assertTrue(given.add(id), "given twice");
      }
    }
    assertEquals(15, given.size());
    assertEquals(0, giveTenOfFifteenADay(NOW.plusSeconds(86_000)).path("questions").size());
    Set<String> next = new HashSet<>(ids(giveTenOfFifteenADay(NOW.plusSeconds(86_800))));
    assertEquals(10, next.size());
    assertTrue(given.containsAll(next), "what was never answered is asked again");
  }

  private ObjectNode giveTenOfFifteenADay(Instant at) throws Exception {
    return requests().give(request("one").put("count", 10).put("perDay", 15), at);
  }

  @Test
  void whatAHalfAnsweredPageLeavesIsGivenAgain() throws Exception {
    List<String> page = ids(give("one", 10, NOW));
    for (String id : page.subList(0, 5)) {
      assertEquals(1, take("one", NOW.plusSeconds(30), id, right(id)).path("kept").asInt());
    }
    Set<String> left = new HashSet<>(page.subList(5, 10));
    left.removeAll(known().keySet());
    List<String> next = ids(give("one", 10, NOW.plusSeconds(60)));
    assertTrue(next.containsAll(left), next + " after " + page);
    page.subList(0, 5).forEach(id -> assertFalse(next.contains(id)));
  }

  @Test
  void anAnsweredQuestionIsAskedOfNobodyAgain() throws Exception {
    Set<String> asked = new HashSet<>();
    for (int page = 0; page < 4; page++) {
      Instant at = NOW.plusSeconds(60L * page);
      for (String id : ids(give("one", 10, at))) {
        assertTrue(asked.add(id));
        take("one", at.plusSeconds(30), id, right(id));
      }
    }
    assertEquals(Set.of(), pairs(give("one", 10, NOW.plusSeconds(900))));
    assertEquals(Set.of(), pairs(give("two", 10, NOW.plusSeconds(900))));
    IntStream.range(0, PAIRS).forEach(i -> assertTrue(asked.contains(id(i))));
  }

  /** Returns the right answer to a question; if it is unknown, 'related'. */
  private String right(String id) {
    return Optional.ofNullable(known().get(id))
        .map(known -> known.truth().name())
        .map(truth -> truth.equals("NEITHER") ? "related" : truth.toLowerCase())
        .orElse("related");
  }

  @Test
  void twoAgentsAtOnceGetOtherQuestions() throws Exception {
    Set<String> first = pairs(give("one", 10, NOW));
    Set<String> second = pairs(give("two", 10, NOW.plusSeconds(5)));
    assertEquals(6, second.size());
    second.retainAll(first);
    assertEquals(Set.of(), second);
    assertEquals(
        first, pairs(give("two", 10, NOW.plusSeconds(660))), "what nobody has answered by then");
  }

  @Test
  void anIdIsMadeWithTheSecretOfOneStoreAndOutlivesTheProcess(@TempDir Path other)
      throws Exception {
    Set<String> pairs = pairs(give("one", 10, NOW));
    assertFalse(pairs.contains(AgentQuestion.ofPair(older(11), newer(11))), "no hash of texts");
    try (KbStore elsewhere = DaemonFixture.store(other, new Kb(other.resolve("kb")))) {
      String there = elsewhere.agentAnswers().given(AgentQuestion.ofPair(older(11), newer(11)));
      assertEquals(
          "this question was not given to you: call 'questions'",
          why(take("one", NOW.plusSeconds(30), there, "same")));
    }
    store.close();
    store = DaemonFixture.store(kb.folder().getParent(), kb);
    assertEquals(pairs, pairs(give("one", 10, NOW.plusSeconds(60))));
    assertEquals(1, take("one", NOW.plusSeconds(90), id(11), "same").path("kept").asInt());
  }

  @Test
  void whatIsNoAnswerIsRefusedAndTheOthersAreKept() throws Exception {
    give("one", 10, NOW);
    Instant later = NOW.plusSeconds(30);
    String answers = "%s same %s perhaps 0123456789abcdef same %s related %s different";
    ObjectNode taken =
        take("one", later, answers.formatted(id(11), id(10), id(11), id(9)).split(" "));
    assertEquals(2, taken.path("kept").asInt());
    assertEquals(
        "the answer must be one of same, overtaken, related, different; this question was not given"
            + " to you: call 'questions'; this call has two answers to the question: the first"
            + " answer counts",
        why(taken));
    assertEquals(
        "you have already answered this question", why(take("one", later, id(11), "related")));
    assertEquals(
        "this question was not given to you: call 'questions'",
        why(take("two", later, id(8), "same")));
    assertEquals(
        List.of("same", "different"),
        store.agentAnswers().all().stream().map(one -> one.answer()).sorted().toList().reversed());
    ObjectNode odd = request("one");
    odd.putArray("answers").add("same").addObject().put("id", id(8));
    assertEquals(2, requests().take(odd, later).path("refused").size());
    assertThrows(
        Failure.class, () -> requests().take(request("one").put("answers", "same"), later));
  }

  @Test
  void anAnswerToATextThatHasChangedIsRefused() throws Exception {
    give("one", 10, NOW);
    helix.call("edit", "action", "append", "topic", "t", "match_str", older(11), "text", "More.");
    ObjectNode taken = take("one", NOW.plusSeconds(30), id(11), "same", id(10), "same");
    assertEquals(1, taken.path("kept").asInt());
    assertTrue(why(taken).startsWith("a text has changed or was removed since"), why(taken));
    assertFalse(pairs(give("one", 20, NOW.plusSeconds(40))).contains(id(11)));
  }

  @Test
  void whatTheUserHasSettledIsNotAsked() throws Exception {
    store
        .decisions()
        .add(List.of(new Decision(findings.get(11), Decision.Outcome.DISMISSED, NOW, "")));
    Set<String> asked = pairs(give("one", 20, NOW));
    assertFalse(asked.contains(id(11)));
    assertTrue(asked.contains(id(10)));
  }

  @Test
  void aPageThatIsAnsweredFasterThanItCanBeReadIsNoted() throws Exception {
    List<String> ids = ids(give("one", 10, NOW));
    take("one", NOW, ids.get(0), "same", ids.get(1), "related");
    take("one", NOW.plusMillis(1_000), ids.get(2), "same");
    assertEquals(
        List.of(true, true, false),
        store.agentAnswers().all().stream().map(one -> one.isHasty()).toList());
  }

  @Test
  void unknownKindsAndCountsAreRefused() {
    assertThrows(Failure.class, () -> give("one", 0, NOW));
    assertThrows(Failure.class, () -> give("one", 101, NOW));
    assertThrows(Failure.class, () -> requests().give(request("one").put("kind", "riddle"), NOW));
  }

  @Test
  void ofFactsWithoutDatesNoneIsCalledOlder() throws Exception {
    String fact = "[line: %d]\n[source: n/MEMORY.md]\n[part: item “%1$d”]\nThe port is %1$d.";
    List<Entry> facts =
        List.of(Entry.of(8, "n/", fact.formatted(1), 0), Entry.of(90, "n/", fact.formatted(2), 0));
    Files.write(kb.dataLog(), new StandInHelix(facts).log());
    ObjectNode report = Json.object();
    report.putArray("leading").add("rel-1");
    ObjectNode pair = report.putArray("relations").addObject();
    pair.put("rank", 1).put("id", "rel-1").put("similarity", 0.9);
    new PresentEntries(DataLog.read(kb.dataLog()), "m")
        .all()
        .forEach(
            one ->
                pair.putObject(pair.has("a") ? "b" : "a")
                    .put("name", one.name())
                    .put("topic", "n/")
                    .put("key", one.key()));
    WrittenReport.write(store, report);
    JsonNode questions = give("one", 10, NOW).path("questions");
    assertTrue(questions.size() > 1);
    for (JsonNode question : questions) { // no field may mark the pairs with known answers
      assertEquals(Set.of("id", "one", "other"), names(question));
    }
  }
}
