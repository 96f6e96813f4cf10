package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.judge.AnswerStore.Id;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerStoreTest extends StoreFixture {
  private static final Answer GOTCHA = new Answer("gotcha", 0.75, "gap", 0.125, true);
  private static final Answer TEXT =
      Answer.free("A \"sentence\"\nin two lines, é \uD83D\uDE00", false);
  private static final Answer PAIR =
      new Answer("same", 1 / 3.0, "related", 1e-9, 2, List.of("same", "related"));

  private AnswerStore answers;

  @BeforeEach
  void openAnswers() {
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
    open();
    openAnswers();
    Set<Id> wanted = new HashSet<>(known.keySet());
    wanted.add(id(QuestionKind.PAIR, 4));
    assertEquals(known, answers.find(wanted));
    assertEquals(Map.of(), answers.find(Set.of()));
    for (Id other : others(id(QuestionKind.LABEL, 1))) {
      assertEquals(Optional.empty(), find(other), other.toString());
    }
  }

  @Test
  void theLastAnswerToAQuestionCountsAndTheVersionGrowsWithEach() {
    Id id = id(QuestionKind.LABEL, 1);
    assertEquals(0, answers.version());
    answers.add(Map.of(id, GOTCHA));
    int version = answers.version();
    assertTrue(version > 0);
    Answer other = new Answer("gap", 0.5, "gotcha", 0.5, false);
    answers.add(Map.of(id, other));
    assertTrue(answers.version() > version);
    assertEquals(Optional.of(other), find(id));
    assertEquals(1, TestDatabase.rows(database, "answer"));
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

  /** An answer whose key was changed in the database is not returned for the other question. */
  @ParameterizedTest
  @ValueSource(strings = {"key = 'other'", "job = 'pair'", "prompt = 'other'", "model = 'other'"})
  void anAnswerUnderAnotherNameIsNone(String damage) {
    Id id = id(QuestionKind.LABEL, 1);
    answers.add(Map.of(id, GOTCHA));
    TestDatabase.change(database, "UPDATE answer SET " + damage);
    for (Id other : others(id)) {
      assertEquals(Optional.empty(), find(other), damage);
    }
  }

  /** Returns ids, each of which differs from this id in one part. */
  private static List<Id> others(Id one) {
    return List.of(
        new Id(QuestionKind.PAIR, one.version(), one.model(), one.key()),
        new Id(one.job(), "other", one.model(), one.key()),
        new Id(one.job(), one.version(), "other", one.key()),
        new Id(one.job(), one.version(), one.model(), "other"));
  }

  /**
   * Anyone can compute a checksum, so answers that no model could give are ignored even if their
   * checksum is right.
   */
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

  /**
   * Answers to an older version of a prompt are deleted, even if the text of the entry is the same.
   */
  @Test
  void answersAboutOtherTextsAndToPromptsOutOfUseAreStale() {
    Map<Id, Answer> all = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      all.put(new Id(QuestionKind.LABEL, i % 2 == 0 ? "old" : "new", "model", "key" + i), GOTCHA);
    }
    Id known = new Id(QuestionKind.LABEL, "new", "model", "key7");
    Id other = new Id(QuestionKind.LABEL, "new", "another model", "key8");
    all.put(other, GOTCHA);
    answers.add(all);
    int version = answers.version();
    answers.forgetStale(Set.of("key7", "key8"), List.of("new"));
    assertEquals(Map.of(known, GOTCHA, other, GOTCHA), answers.find(all.keySet()));
    assertEquals(version, answers.version());
  }
}
