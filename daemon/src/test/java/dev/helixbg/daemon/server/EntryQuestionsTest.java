package dev.helixbg.daemon.server;

import static dev.helixbg.daemon.server.QuestionRequestsTest.why;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.agents.AgentAnswer;
import dev.helixbg.insight.agents.AgentClient;
import dev.helixbg.insight.agents.KnownPairs;
import dev.helixbg.insight.judge.JudgeTrial.Truth;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests questions to agents about entries, and the effects of their answers. */
class EntryQuestionsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
  private static final String REPEAT = "A second run of a step must do no harm";

  private Path folder;
  private Kb kb;
  private KbStore store;
  private FileHelix helix;

  /** Lesson of each entry, by the entry's text, in the order of the log. */
  private final Map<String, String> lessons = new LinkedHashMap<>();

  private Instant at = NOW;

  @BeforeEach
  void log(@TempDir Path temporary) throws Exception {
    folder = temporary;
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    store = DaemonFixture.store(folder, kb);
    helix = new FileHelix(kb.dataLog());
    entry("queue", "Jobs were taken twice.", REPEAT + ".");
    entry("mail", "The letter was sent again.", REPEAT + " to readers.");
    entry("mail", "The port is 25.", "none");
    entry("billing", "The card was charged twice.", REPEAT + " with money.");
    entry("sync", "Tablets were wrong by years.", "A clock of somebody else proves nothing.");
  }

  private void entry(String topic, String text, String lesson) {
    helix.call("store", "topic", topic, "text", text);
    lessons.put(text, lesson);
  }

  private JsonNode give(String client, String kind) throws Exception {
    at = at.plusSeconds(60);
    return QuestionRequestsTest.requests(store, "fake")
        .give(QuestionRequestsTest.request(client).put("kind", kind), at);
  }

  private JsonNode take(String client, String... idsAndAnswers) throws Exception {
    at = at.plusSeconds(60);
    QuestionRequests requests = QuestionRequestsTest.requests(store, "fake");
    return QuestionRequestsTest.take(requests, client, at, idsAndAnswers);
  }

  private int study(String client, String kind, Function<JsonNode, String> says) throws Exception {
    int answered = 0;
    for (JsonNode page = give(client, kind); !page.path("questions").isEmpty(); ) {
      for (JsonNode question : page.path("questions")) {
        JsonNode taken = take(client, question.path("id").asText(), says.apply(question));
        assertEquals(1, taken.path("kept").asInt(), taken::toString);
        answered++;
      }
      page = give(client, kind);
    }
    return answered;
  }

  /** Answers questions about pairs with known answers: rightly, or all in the same way. */
  private void measure(String client, boolean rightly) {
    List<AgentAnswer> answers = new ArrayList<>();
    for (KnownPairs.Known known : KnownPairs.next(100, Set.of())) {
      String right = known.truth() == Truth.NEITHER ? "related" : known.truth().name();
      answers.add(
          new AgentAnswer(
              new AgentClient(client, "1"),
              known.id(),
              QuestionKind.PAIR,
              rightly ? right.toLowerCase() : "same",
              false,
              NOW));
    }
    store.agentAnswers().add(answers);
  }

  private String lesson(JsonNode question) {
    return lessons.get(question.path("text").asText());
  }

  private static String sameRule(JsonNode question) {
    boolean isSame =
        question.path("one").asText().startsWith(REPEAT)
            && question.path("other").asText().startsWith(REPEAT);
    return isSame ? "same" : "different";
  }

  private Judgements judged() throws Exception {
    Pipeline pipeline =
        DaemonFixture.pipeline(
            DaemonFixture.settings(folder, Map.of()), new FakeModel(), DaemonFixture.NO_READING);
    return DaemonFixture.whole(pipeline, store).report().judgements();
  }

  @Test
  void lessonsAreNamedFromAnAgentsSentencesAndComparisons() throws Exception {
    measure("one", true);
    assertEquals(Optional.empty(), judged().lessons().reader());
    JsonNode first = give("one", "lesson");
    assertEquals(
        List.copyOf(lessons.keySet()).reversed(), first.path("questions").findValuesAsText("text"));
    assertEquals("sync", first.at("/questions/0/topic").asText());
    assertFalse(first.has("answers"));
    assertTrue(first.path("meaning").asText().contains("Answer none"));
    assertEquals(5, study("one", "lesson", this::lesson));
    JsonNode compared = give("one", "same-lesson");
    assertEquals("[\"same\",\"different\"]", compared.path("answers").toString());
    assertTrue(study("one", "same-lesson", EntryQuestionsTest::sameRule) >= 3);
    Judgements.Lessons found = judged().lessons();
    assertEquals(Optional.of("one 1"), found.reader());
    assertEquals(1, found.all().size());
    assertEquals(
        List.of("queue:0", "mail:0", "billing:0"),
        found.all().getFirst().entries().stream().map(one -> one.name()).toList());
    assertTrue(found.all().getFirst().text().startsWith(REPEAT));
    assertEquals(0, give("two", "lesson").path("questions").size(), "nothing is asked twice");
  }

  @Test
  void anAgentThatGuessesAtPairsNamesNoLessons() throws Exception {
    measure("one", false);
    study("one", "lesson", this::lesson);
    study("one", "same-lesson", EntryQuestionsTest::sameRule);
    assertEquals(Optional.empty(), judged().lessons().reader());
    assertEquals(5, give("two", "lesson").path("questions").size(), "its word settles nothing");
  }

  @Test
  void anAgentsLabelsStandBeforeTheClassifiers() throws Exception {
    measure("one", true);
    JsonNode page = give("one", "label");
    assertEquals(
        List.copyOf(lessons.keySet()).reversed(), page.path("questions").findValuesAsText("text"));
    assertEquals(11, page.path("answers").size());
    String id = page.at("/questions/0/id").asText();
    assertTrue(why(take("one", id, "riddle")).startsWith("the answer must be one of "));
    assertEquals("", why(take("one", id, "gotcha")));
    List<LabelGuess> agents =
        judged().guesses().values().stream()
            .filter(one -> one.origin() == LabelGuess.Origin.AGENT)
            .toList();
    assertEquals(List.of(Label.GOTCHA), agents.stream().map(LabelGuess::label).toList());
  }

  @Test
  void anAgentsSummariesAreOfTopicsAsTheyAre() throws Exception {
    measure("one", true);
    assertEquals(0, give("one", "summary").path("questions").size(), "nothing has vectors yet");
    judged();
    JsonNode page = give("one", "summary");
    assertEquals(4, page.path("questions").size());
    assertEquals("sync", page.at("/questions/0/entries/0/topic").asText());
    assertEquals(2, page.at("/questions/2/entries").size(), page::toPrettyString);
    String id = page.at("/questions/0/id").asText();
    for (String wrong : List.of(" ", "One line,\nand two.", "long ".repeat(100))) {
      assertTrue(why(take("one", id, wrong)).startsWith("a summary is one sentence"), wrong);
    }
    assertEquals("", why(take("one", id, "Clocks of tablets.")));
    assertEquals(Map.of("sync", "Clocks of tablets."), judged().summaries());
    entry("sync", "Cursors are numbers.", "none");
    assertEquals(Map.of(), judged().summaries(), "it is about another state of the topic");
  }

  @Test
  void aSentenceThatIsNoLessonIsRefused() throws Exception {
    JsonNode page = give("one", "lesson");
    String id = page.at("/questions/0/id").asText();
    for (String wrong :
        List.of("Tablets.", "Never trust the clocks that Zebra 4711 sends to you.")) {
      assertTrue(why(take("one", id, wrong)).startsWith("a lesson is one sentence"), wrong);
    }
    assertEquals("", why(take("one", id, "none")));
    assertEquals("you have already answered this question", why(take("one", id, "none")));
  }

  @Test
  void anAnswerToATextThatHasChangedIsRefused() throws Exception {
    String id = give("one", "lesson").at("/questions/0/id").asText();
    helix.call(
        "edit", "action", "append", "topic", "sync", "match_str", "Tablets", "text", "More.");
    assertEquals(QuestionRequests.STALE, why(take("one", id, "none")));
  }
}
