package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.judge.AnswerStore.Id;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerStoreTest {
  private static final Answer GOTCHA = new Answer("gotcha", 0.75, "gap", 0.125, true);
  private static final Answer TEXT =
      Answer.free("A \"sentence\"\nin two lines, é \uD83D\uDE00", false);
  private static final Answer PAIR =
      new Answer("same", 1 / 3.0, "related", 1e-9, 2, List.of("same", "related"));

  @TempDir(factory = InMemory.class)
  Path folder;

  @AutoClose private Database database;
  private AnswerStore answers;

  @BeforeEach
  void open() {
    database = TestDatabase.in(folder, AnswerStore.TABLE);
    answers = new AnswerStore(database);
  }

  private static Id id(QuestionKind job, int number) {
    return new Id(job, job.version() + "-384", "model", "key" + number);
  }

  private Optional<Answer> find(Id id) {
    return Optional.ofNullable(answers.find(Set.of(id)).get(id));
  }

  @Test
  void answersAreFoundAgainByAllThatWasAsked() {
    Map<Id, Answer> known =
        Map.of(
            id(QuestionKind.LABEL, 1),
            GOTCHA,
            id(QuestionKind.SUMMARY, 2),
            TEXT,
            id(QuestionKind.PAIR, 3),
            PAIR);
    answers.add(known);
    answers.add(Map.of());
    database.close();
    database = TestDatabase.in(folder, AnswerStore.TABLE);
    answers = new AnswerStore(database);
    Set<Id> wanted = new HashSet<>(known.keySet());
    wanted.add(id(QuestionKind.PAIR, 4));
    assertEquals(known, answers.find(wanted));
    assertEquals(Map.of(), answers.find(Set.of()));
    Id one = id(QuestionKind.LABEL, 1);
    for (Id other :
        List.of(
            new Id(QuestionKind.PAIR, one.version(), one.model(), one.key()),
            new Id(one.job(), "other", one.model(), one.key()),
            new Id(one.job(), one.version(), "other", one.key()),
            new Id(one.job(), one.version(), one.model(), "other"))) {
      assertEquals(Optional.empty(), find(other), other.toString());
    }
  }

  @Test
  void theLastAnswerToAQuestionCounts() {
    Id id = id(QuestionKind.LABEL, 1);
    answers.add(Map.of(id, GOTCHA));
    Answer other = new Answer("gap", 0.5, "gotcha", 0.5, false);
    answers.add(Map.of(id, other));
    assertEquals(Optional.of(other), find(id));
    assertEquals(1, TestDatabase.rows(database, "answer"));
  }

  @Test
  void theVersionGrowsWithEachAnswer() {
    assertEquals(0, answers.version());
    for (int i = 0; i < 3; i++) {
      int before = answers.version();
      answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
      assertTrue(answers.version() > before, "also for a question that was answered before");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "checksum = checksum + 1",
        "answer = 'gap'",
        "probability = 0.76",
        "next = 'gotcha'",
        "nextProbability = 0",
        "unread = 0",
        "orders = 'gap gotcha'",
        "probability = 'x'",
        "answer = x'ff'"
      })
  void aDamagedAnswerIsNone(String damage) {
    Id one = id(QuestionKind.LABEL, 1);
    Id two = id(QuestionKind.LABEL, 2);
    answers.add(Map.of(one, GOTCHA, two, GOTCHA));
    TestDatabase.change(database, "UPDATE answer SET " + damage + " WHERE key = 'key1'");
    assertEquals(Map.of(two, GOTCHA), answers.find(Set.of(one, two)));
    answers.add(Map.of(one, GOTCHA));
    assertEquals(Optional.of(GOTCHA), find(one));
  }

  /** An answer to one question is not one to another, whoever renames it. */
  @Test
  void anAnswerUnderAnotherNameIsNone() {
    answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    TestDatabase.change(database, "UPDATE answer SET key = 'key2'");
    assertEquals(Optional.empty(), find(id(QuestionKind.LABEL, 2)));
    for (String damage : List.of("job = 'pair'", "prompt = 'other'", "model = 'other'")) {
      TestDatabase.change(database, "DELETE FROM answer");
      Id id = id(QuestionKind.LABEL, 1);
      answers.add(Map.of(id, GOTCHA));
      TestDatabase.change(database, "UPDATE answer SET " + damage);
      for (Id other :
          List.of(
              new Id(QuestionKind.PAIR, id.version(), id.model(), id.key()),
              new Id(id.job(), "other", id.model(), id.key()),
              new Id(id.job(), id.version(), "other", id.key()))) {
        assertEquals(Optional.empty(), find(other), damage);
      }
    }
  }

  /** A checksum is no secret: what no model can have said is not believed. */
  @Test
  void anImpossibleAnswerIsNotBelieved() {
    Id id = id(QuestionKind.LABEL, 1);
    for (Answer wrong :
        List.of(
            new Answer("<b>", 1, "gap", 0, false),
            new Answer("gap", 7, "gotcha", 0, false),
            new Answer("gap", -0.1, "gotcha", 0, false),
            new Answer("gap", 0.7, "gotcha", 0.7, false),
            new Answer("gap", 0.7, "gotcha", -1, false),
            new Answer("gap", Double.POSITIVE_INFINITY, "gotcha", 0, false),
            new Answer("gap", 1, "", 0, false),
            new Answer("gap", 1, "flood", 0, false),
            new Answer("gap", 0.7, "gotcha", 0.2, 0, List.of("gap", "flood")))) {
      answers.add(Map.of(id, wrong));
      assertEquals(Optional.empty(), find(id), wrong.toString());
    }
    Id free = id(QuestionKind.SUMMARY, 1);
    answers.add(Map.of(free, Answer.free("x".repeat(20_001), false)));
    assertEquals(Optional.empty(), find(free));
    answers.add(Map.of(free, Answer.free("x".repeat(20_000), false)));
    assertTrue(find(free).isPresent());
  }

  @Test
  void staleAnswersAreForgottenWhenTheyAreMostOfMany() {
    Set<String> live = new HashSet<>();
    Map<Id, Answer> all = new HashMap<>();
    for (int i = 0; i < 400; i++) {
      all.put(id(QuestionKind.LABEL, i), GOTCHA);
      if (i % 3 == 0) {
        live.add("key" + i);
      }
    }
    answers.add(all);
    int version = answers.version();
    List<String> versions = List.of(QuestionKind.LABEL.version() + "-384");
    Set<String> most = new HashSet<>(live);
    for (int i = 0; i < 300; i++) {
      most.add("key" + i);
    }
    answers.forgetStale(most, versions);
    assertEquals(400, TestDatabase.rows(database, "answer"), "most of it is in use");
    answers.forgetStale(live, versions);
    assertEquals(live.size(), TestDatabase.rows(database, "answer"));
    assertEquals(Optional.of(GOTCHA), find(id(QuestionKind.LABEL, 3)));
    assertEquals(Optional.empty(), find(id(QuestionKind.LABEL, 1)));
    answers.forgetStale(Set.of(), List.of());
    assertEquals(live.size(), TestDatabase.rows(database, "answer"), "few are left alone");
    assertEquals(version, answers.version());
  }

  /** The text is the same, but the prompt of an older version asked for something else. */
  @Test
  void answersToAPromptOutOfUseAreStale() {
    Map<Id, Answer> all = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      all.put(new Id(QuestionKind.LABEL, "old", "model", "key" + i), GOTCHA);
    }
    Id other = new Id(QuestionKind.LABEL, "new", "another model", "key7");
    all.put(other, GOTCHA);
    answers.add(all);
    Set<String> keys = new HashSet<>();
    all.keySet().forEach(id -> keys.add(id.key()));
    answers.forgetStale(keys, List.of("new"));
    assertEquals(Map.of(other, GOTCHA), answers.find(all.keySet()));
  }

  /** Two runs add, and one of them forgets what is stale. */
  @Test
  void twoStoresOfOneFileLoseNothing() {
    try (Database second = TestDatabase.in(folder, AnswerStore.TABLE)) {
      AnswerStore others = new AnswerStore(second);
      Map<Id, Answer> many = new HashMap<>();
      for (int i = 0; i < 300; i++) {
        many.put(id(QuestionKind.LABEL, i), GOTCHA);
      }
      answers.add(many);
      others.add(Map.of(id(QuestionKind.LABEL, 1000), GOTCHA));
      answers.forgetStale(
          Set.of("key7", "key1000"), List.of(QuestionKind.LABEL.version() + "-384"));
      assertEquals(Optional.of(GOTCHA), find(id(QuestionKind.LABEL, 1000)));
      assertEquals(2, TestDatabase.rows(second, "answer"));
    }
  }

  @Test
  void answersThatCannotBeSavedAreAnError() {
    database.close();
    assertThrows(
        StoreException.class, () -> answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA)));
  }
}
