package dev.helixbg.insight.agents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.judge.QuestionKind;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentAnswerStoreTest {
  private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
  private static final AgentClient ONE = new AgentClient("one", "1.0");
  private static final AgentClient TWO = new AgentClient("two", "1.0");

  @TempDir(factory = InMemory.class)
  Path folder;

  private final List<String> warnings = new ArrayList<>();
  private final List<Database> open = new ArrayList<>();
  private Database database;
  private AgentAnswerStore store;

  @BeforeEach
  void open() {
    open(1);
  }

  private void open(int version) {
    Path file = folder.resolve("kb.db");
    database =
        new Database(
            file,
            new Database.Schema(
                version,
                AgentAnswerStore.TABLES,
                connection -> {
                  AgentAnswerStore.restore(connection, Database.aside(file));
                  return null;
                }),
            warnings::add);
    store = new AgentAnswerStore(database);
  }

  @AfterEach
  void close() {
    database.close();
    open.forEach(Database::close);
  }

  private static AgentAnswer answer(AgentClient client, String question, String answer) {
    return new AgentAnswer(client, question, QuestionKind.PAIR, answer, false, NOW);
  }

  @Test
  void theFirstAnswerOfAClientToAQuestionIsKept() {
    AgentAnswer first = answer(ONE, "q1", "same");
    AgentAnswer other = answer(TWO, "q1", "related");
    assertEquals(Set.of("q1"), store.add(List.of(first)));
    int version = store.version();
    assertEquals(Set.of(), store.add(List.of(answer(ONE, "q1", "different"))));
    assertEquals(version, store.version(), "nothing new");
    assertEquals(Set.of("q1"), store.add(List.of(other)));
    assertNotEquals(version, store.version());
    assertEquals(List.of(first, other), store.all());
    close();
    open();
    assertEquals(List.of(first, other), store.all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"answer = 'different'", "kind = 'unknown'", "at = 'never'"})
  void aDamagedAnswerIsLeftOut(String damage) {
    store.add(List.of(answer(ONE, "q1", "same"), answer(ONE, "q2", "related")));
    TestDatabase.change(database, "UPDATE agentAnswer SET " + damage + " WHERE question = 'q1'");
    assertEquals(List.of(answer(ONE, "q2", "related")), store.all());
  }

  /** The answers may still be in SQLite's write-ahead log, while another process has it open. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDatabaseOfANewVersionTakesTheAnswersOver(boolean isOpenElsewhere) {
    List<AgentAnswer> answers = new ArrayList<>();
    for (int version = 2; version < 5; version++) {
      AgentAnswer added = answer(ONE, "q" + version, "same");
      store.add(List.of(added));
      answers.add(added);
      if (isOpenElsewhere) {
        open.add(database);
      } else {
        close();
      }
      open(version);
      assertEquals(answers, store.all());
      assertEquals(version - 1, warnings.size());
    }
  }

  @Test
  void questionsAreThoseOfTheirClientAndAreForgottenInTime() {
    AgentQuestion asked = new AgentQuestion("q1", QuestionKind.PAIR, List.of("a", "b"), 20, NOW);
    AgentQuestion known = new AgentQuestion("q2", QuestionKind.PAIR, List.of(), 20, NOW);
    String first = store.given("q1");
    String second = store.given("q2");
    assertEquals(
        Map.of("q1", first, "q2", second),
        store.ask(ONE, List.of(asked, known), 2, NOW.minusSeconds(9), NOW));
    assertEquals(
        Map.of("q2", second),
        store.ask(TWO, List.of(asked, known), 2, NOW.minusSeconds(9), NOW),
        "what another client was given is its own");
    store.ask(TWO, List.of(), 0, NOW, NOW.plus(Duration.ofDays(31)));
    store.ask(ONE, List.of(asked, known), 2, NOW.minusSeconds(9), NOW);
    assertEquals(Map.of(first, asked, second, known), store.asked(ONE));
    assertEquals(Set.of(), store.asked(TWO).keySet());
    assertEquals(Set.of("q1", "q2"), store.askedOfOthers(TWO, NOW.minusSeconds(1)));
    assertEquals(Set.of(), store.askedOfOthers(TWO, NOW.plusSeconds(1)));
    assertEquals(Set.of(), store.askedOfOthers(ONE, NOW.minusSeconds(1)));
    store.ask(TWO, List.of(), 0, NOW, NOW.plus(Duration.ofDays(31)));
    assertEquals(Set.of(), store.asked(ONE).keySet());
  }
}
