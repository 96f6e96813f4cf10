package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.judge.AnswerFile.Id;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerFileTest {
  private static final Answer GOTCHA = new Answer("gotcha", 0.75, "gap", 0.125, true);
  private static final Answer TEXT =
      Answer.free("A \"sentence\"\nin two lines, é \uD83D\uDE00", false);

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("answers.jsonl");
  }

  private static Id id(Job job, int number) {
    return new Id(job, job.version() + "-384", "model", "key" + number);
  }

  private AnswerFile read() throws Exception {
    return AnswerFile.read(file, true);
  }

  @Test
  void answersAreFoundAgainByEverythingThatWasAsked() throws Exception {
    AnswerFile answers = read();
    answers.add(Map.of(id(Job.LABEL, 1), GOTCHA));
    answers.add(Map.of(id(Job.SUMMARY, 2), TEXT));
    AnswerFile again = read();
    assertEquals(Optional.of(GOTCHA), again.find(id(Job.LABEL, 1)));
    assertEquals(Optional.of(TEXT), again.find(id(Job.SUMMARY, 2)));
    Id known = id(Job.LABEL, 1);
    for (Id other :
        List.of(
            new Id(Job.PAIR, known.version(), known.model(), known.key()),
            new Id(known.job(), "other", known.model(), known.key()),
            new Id(known.job(), known.version(), "other", known.key()),
            new Id(known.job(), known.version(), known.model(), "other"))) {
      assertEquals(Optional.empty(), again.find(other), other.toString());
    }
  }

  @Test
  void onlyAppendsAndEveryAnswerIsALine() throws Exception {
    read().add(Map.of(id(Job.LABEL, 1), GOTCHA));
    String first = Files.readString(file);
    read().add(Map.of(id(Job.SUMMARY, 2), TEXT));
    String second = Files.readString(file);
    assertTrue(second.startsWith(first));
    assertEquals(2, second.lines().count(), second);
  }

  /** Torn anywhere: what stood before is known, and what is added is not lost in the torn line. */
  @Test
  void aTornTailCostsOneAnswer() throws Exception {
    AnswerFile answers = read();
    answers.add(Map.of(id(Job.LABEL, 1), GOTCHA));
    long whole = Files.size(file);
    answers.add(Map.of(id(Job.LABEL, 2), GOTCHA));
    byte[] bytes = Files.readAllBytes(file);
    for (int length = (int) whole; length < bytes.length - 1; length += 7) {
      Files.write(file, java.util.Arrays.copyOf(bytes, length));
      AnswerFile torn = read();
      assertEquals(Optional.of(GOTCHA), torn.find(id(Job.LABEL, 1)));
      assertEquals(Optional.empty(), torn.find(id(Job.LABEL, 2)), "cut at " + length);
      torn.add(Map.of(id(Job.LABEL, 3), GOTCHA));
      assertEquals(Optional.of(GOTCHA), read().find(id(Job.LABEL, 3)), "cut at " + length);
      assertEquals(Optional.of(GOTCHA), read().find(id(Job.LABEL, 1)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "null",
        "\u0000\u0000",
        "{\"job\":\"label\"",
        "{\"job\":\"label\",\"prompt\":\"v\",\"model\":\"m\",\"key\":\"k\",\"answer\":\"<b>\",\"p\":1,"
            + "\"next\":\"gap\",\"nextP\":0}",
        "{\"job\":\"label\",\"prompt\":\"v\",\"model\":\"m\",\"key\":\"k\",\"answer\":\"gap\",\"p\":7,"
            + "\"next\":\"gotcha\",\"nextP\":0}",
        "{\"job\":\"label\",\"prompt\":\"v\",\"model\":\"m\",\"key\":\"k\",\"answer\":\"gap\",\"p\":"
            + "\"x\",\"next\":\"gotcha\",\"nextP\":0}",
        "{\"job\":\"label\",\"prompt\":\"v\",\"model\":\"m\",\"key\":\"k\",\"answer\":\"gap\",\"p\":1}",
        "{\"job\":\"flood\",\"prompt\":\"v\",\"model\":\"m\",\"key\":\"k\",\"answer\":\"gap\"}",
        "{\"job\":{\"a\":[1,2]},\"x\":[[[[]]]]}",
      })
  void aLineThatNobodyWroteIsNothing(String line) throws Exception {
    read().add(Map.of(id(Job.LABEL, 1), GOTCHA));
    Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
    AnswerFile answers = read();
    assertEquals(Optional.of(GOTCHA), answers.find(id(Job.LABEL, 1)));
    for (Job job : Job.values()) {
      assertEquals(Optional.empty(), answers.find(new Id(job, "v", "m", "k")));
    }
  }

  @Test
  void aMostlyStaleFileIsWrittenAnew() throws Exception {
    AnswerFile answers = read();
    Set<String> live = new HashSet<>();
    for (int i = 0; i < 400; i++) {
      answers.add(Map.of(id(Job.LABEL, i), GOTCHA));
      if (i % 3 == 0) {
        live.add("key" + i);
      }
    }
    List<String> versions = List.of(Job.LABEL.version() + "-384");
    Set<String> most = new HashSet<>(live);
    for (int i = 0; i < 300; i++) {
      most.add("key" + i);
    }
    assertFalse(read().compactIfMostlyStale(most, versions), "most of it is in use");
    assertTrue(read().compactIfMostlyStale(live, versions));
    assertEquals(live.size(), Files.readAllLines(file).size());
    assertEquals(Optional.of(GOTCHA), read().find(id(Job.LABEL, 3)));
    assertEquals(Optional.empty(), read().find(id(Job.LABEL, 1)));
    assertFalse(read().compactIfMostlyStale(Set.of(), versions), "a small file is left alone");
  }

  /** Two runs add in turns, and a compaction by one keeps what the other added meanwhile. */
  @Test
  void whoeverWritesWaitsForItsTurnAndKeepsWhatOthersAdded() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger open = new AtomicInteger();
    AnswerFile.Turns turns =
        () -> {
          taken.incrementAndGet();
          assertEquals(1, open.incrementAndGet());
          return open::decrementAndGet;
        };
    AnswerFile one = AnswerFile.read(file, turns);
    AnswerFile other = AnswerFile.read(file, turns);
    Map<Id, Answer> many = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      many.put(id(Job.LABEL, i), GOTCHA);
    }
    one.add(many);
    other.add(Map.of(id(Job.LABEL, 1000), GOTCHA));
    one.add(Map.of());
    assertEquals(2, taken.get(), "nothing to write, no turn");
    List<String> versions = List.of(Job.LABEL.version() + "-384");
    assertTrue(one.compactIfMostlyStale(Set.of("key7", "key1000"), versions));
    assertEquals(3, taken.get());
    assertEquals(0, open.get());
    assertEquals(Optional.of(GOTCHA), read().find(id(Job.LABEL, 1000)));
    assertEquals(2, Files.readAllLines(file).size());
  }

  @Test
  void whoGetsNoTurnSavesNothing() throws Exception {
    AnswerFile answers =
        AnswerFile.read(
            file,
            () -> {
              throw new JudgeException("not now");
            });
    assertThrows(JudgeException.class, () -> answers.add(Map.of(id(Job.LABEL, 1), GOTCHA)));
    assertFalse(Files.exists(file));
  }

  @Test
  void anUnwritableOneRemembersOnly() throws Exception {
    AnswerFile answers = AnswerFile.read(file, false);
    answers.add(Map.of(id(Job.LABEL, 1), GOTCHA));
    assertEquals(Optional.of(GOTCHA), answers.find(id(Job.LABEL, 1)));
    assertFalse(Files.exists(file));
  }
}
