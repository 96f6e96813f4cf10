package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.judge.AnswerFile.Id;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  private static Id id(QuestionKind job, int number) {
    return new Id(job, job.version() + "-384", "model", "key" + number);
  }

  private AnswerFile read() {
    return new AnswerFile(file, true);
  }

  private static Optional<Answer> find(AnswerFile answers, Id id) throws IOException {
    return Optional.ofNullable(answers.find(Set.of(id)).get(id));
  }

  @Test
  void answersAreFoundAgainByEverythingThatWasAsked() throws Exception {
    AnswerFile answers = read();
    answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    answers.add(Map.of(id(QuestionKind.SUMMARY, 2), TEXT));
    AnswerFile again = read();
    assertEquals(Optional.of(GOTCHA), find(again, id(QuestionKind.LABEL, 1)));
    assertEquals(Optional.of(TEXT), find(again, id(QuestionKind.SUMMARY, 2)));
    Id known = id(QuestionKind.LABEL, 1);
    for (Id other :
        List.of(
            new Id(QuestionKind.PAIR, known.version(), known.model(), known.key()),
            new Id(known.job(), "other", known.model(), known.key()),
            new Id(known.job(), known.version(), "other", known.key()),
            new Id(known.job(), known.version(), known.model(), "other"))) {
      assertEquals(Optional.empty(), find(again, other), other.toString());
    }
  }

  @Test
  void onlyAppendsAndEveryAnswerIsALine() throws Exception {
    read().add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    String first = Files.readString(file);
    read().add(Map.of(id(QuestionKind.SUMMARY, 2), TEXT));
    String second = Files.readString(file);
    assertTrue(second.startsWith(first));
    assertEquals(2, second.lines().count(), second);
  }

  /** Torn anywhere: what stood before is known, and what is added is not lost in the torn line. */
  @Test
  void aTornTailCostsOneAnswer() throws Exception {
    AnswerFile answers = read();
    answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    long whole = Files.size(file);
    answers.add(Map.of(id(QuestionKind.LABEL, 2), GOTCHA));
    byte[] bytes = Files.readAllBytes(file);
    for (int length = (int) whole; length < bytes.length - 1; length += 7) {
      Files.write(file, java.util.Arrays.copyOf(bytes, length));
      AnswerFile torn = read();
      assertEquals(Optional.of(GOTCHA), find(torn, id(QuestionKind.LABEL, 1)));
      assertEquals(Optional.empty(), find(torn, id(QuestionKind.LABEL, 2)), "cut at " + length);
      torn.add(Map.of(id(QuestionKind.LABEL, 3), GOTCHA));
      assertEquals(
          Optional.of(GOTCHA), find(read(), id(QuestionKind.LABEL, 3)), "cut at " + length);
      assertEquals(Optional.of(GOTCHA), find(read(), id(QuestionKind.LABEL, 1)));
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
    read().add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
    AnswerFile answers = read();
    assertEquals(Optional.of(GOTCHA), find(answers, id(QuestionKind.LABEL, 1)));
    for (QuestionKind job : QuestionKind.values()) {
      assertEquals(Optional.empty(), find(answers, new Id(job, "v", "m", "k")));
    }
  }

  @Test
  void aMostlyStaleFileIsWrittenAnew() throws Exception {
    AnswerFile answers = read();
    Set<String> live = new HashSet<>();
    for (int i = 0; i < 400; i++) {
      answers.add(Map.of(id(QuestionKind.LABEL, i), GOTCHA));
      if (i % 3 == 0) {
        live.add("key" + i);
      }
    }
    List<String> versions = List.of(QuestionKind.LABEL.version() + "-384");
    Set<String> most = new HashSet<>(live);
    for (int i = 0; i < 300; i++) {
      most.add("key" + i);
    }
    assertFalse(read().compactIfMostlyStale(most, versions), "most of it is in use");
    assertTrue(read().compactIfMostlyStale(live, versions));
    assertEquals(live.size(), Files.readAllLines(file).size());
    assertEquals(Optional.of(GOTCHA), find(read(), id(QuestionKind.LABEL, 3)));
    assertEquals(Optional.empty(), find(read(), id(QuestionKind.LABEL, 1)));
    assertFalse(read().compactIfMostlyStale(Set.of(), versions), "a small file is left alone");
  }

  /** Two runs add, and a compaction by one keeps what the other added meanwhile. */
  @Test
  void aCompactionKeepsWhatOthersAdded() throws Exception {
    AnswerFile one = read();
    Map<Id, Answer> many = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      many.put(id(QuestionKind.LABEL, i), GOTCHA);
    }
    one.add(many);
    read().add(Map.of(id(QuestionKind.LABEL, 1000), GOTCHA));
    one.add(Map.of());
    List<String> versions = List.of(QuestionKind.LABEL.version() + "-384");
    assertTrue(one.compactIfMostlyStale(Set.of("key7", "key1000"), versions));
    assertEquals(Optional.of(GOTCHA), find(one, id(QuestionKind.LABEL, 1000)));
    assertEquals(2, Files.readAllLines(file).size());
  }

  /** 300 MB that nobody of ours wrote are in nobody's way: neither in memory nor as an error. */
  @Test
  void aHugeFileIsReadAndAppendedTo() throws Exception {
    read().add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {'\n'}), 300L << 20); // a hole of zeros before it
    }
    AnswerFile answers = read();
    answers.add(Map.of(id(QuestionKind.SUMMARY, 2), TEXT));
    assertEquals(
        Map.of(id(QuestionKind.LABEL, 1), GOTCHA, id(QuestionKind.SUMMARY, 2), TEXT),
        answers.find(
            Set.of(
                id(QuestionKind.LABEL, 1), id(QuestionKind.SUMMARY, 2), id(QuestionKind.PAIR, 3))));
  }

  @Test
  void withoutAPermitNothingIsWritten() throws Exception {
    AnswerFile answers =
        new AnswerFile(
            file,
            () -> {
              throw new JudgeException("not now");
            });
    assertThrows(
        JudgeException.class, () -> answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA)));
    assertFalse(Files.exists(file));
  }

  @Test
  void anUnwritableOneSavesNothing() throws Exception {
    AnswerFile answers = new AnswerFile(file, false);
    answers.add(Map.of(id(QuestionKind.LABEL, 1), GOTCHA));
    assertFalse(answers.compactIfMostlyStale(Set.of(), List.of()));
    assertFalse(Files.exists(file));
  }
}
