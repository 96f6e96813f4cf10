package dev.helixbg.insight.lessons;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests the measured reliability of models, for stand-ins whose reliability is known. */
class LessonTrialTest extends StoreFixture {
  private Optional<LessonTrust> measure(Function<Question, Answer> reader, Duration time)
      throws Exception {
    EmbedSettings bundled =
        new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, Precision.FP32, 256);
    Path cache = Path.of("../embed/target/test-cache").toAbsolutePath();
    try (Embedder embedder = EmbeddingModel.locate(bundled, cache, 1).open();
        QuestionSession asking =
            asking((questions, cancelled) -> questions.stream().map(reader).toList(), time)) {
      return new LessonTrial(asking, texts -> List.of(embedder.embedAll(texts))).ask();
    }
  }

  private LessonTrial trial() {
    return new LessonTrial(null, texts -> List.of());
  }

  private static Answer rule(boolean same) {
    return new Answer(same ? "same" : "different", 0.9, same ? "different" : "same", 0.1, false);
  }

  @Test
  void theWritersThemselvesAreRightOfEverything() throws Exception {
    Map<Question, Answer> truth = new HashMap<>();
    trial().entries.forEach((one, lesson) -> truth.put(one, new Answer(lesson, 1, "", 0, false)));
    trial().pairs.forEach((one, same) -> truth.put(one, rule(same)));
    assertEquals(100, truth.size());
    LessonTrust trust = measure(truth::get, Duration.ofDays(1)).orElseThrow();
    assertEquals(60, trust.rightPairs());
    assertEquals(60, trust.pairs());
    assertTrue(trust.right() >= 38, trust.words());
    assertFalse(trust.isGuessing());
  }

  /** These answers are from readers who saw neither the groups nor the known lessons. */
  @Test
  void theReadersOfTheTrialAreRightOfMost() throws Exception {
    Map<String, String> written = new HashMap<>();
    LessonsBench.sentences(Path.of("src", "judge"))
        .forEach((text, sentence) -> written.put(withoutSource(text), sentence));
    LessonTrust trust =
        measure(
                question ->
                    question instanceof Question.LessonOf(_, String content)
                        ? new Answer(written.get(withoutSource(content)), 1, "", 0, false)
                        : rule(true),
                Duration.ofDays(1))
            .orElseThrow();
    assertEquals(30, trust.rightPairs(), "half of the pairs are the same");
    assertTrue(trust.isGuessing(), "one answer to everything");
    assertEquals(31, trust.right(), trust.words());
  }

  private static String withoutSource(String text) {
    return text.replaceAll("\\s*\\[source: [^\\]]*\\]", "").strip();
  }

  @Test
  void whoeverSaysTheSameOfEverythingIsGuessing() throws Exception {
    LessonTrust trust =
        measure(
                question ->
                    question instanceof Question.LessonOf
                        ? new Answer("Things go wrong, so take care of them.", 1, "", 0, false)
                        : rule(false),
                Duration.ofDays(1))
            .orElseThrow();
    assertTrue(
        trust.right() <= 6, trust.words()); // for any sentence, 3 of 38 lessons are the nearest
    assertTrue(trust.isGuessing());
    assertTrue(trust.words().endsWith("it is guessing."), trust.words());
  }

  @Test
  void withoutTimeNothingIsKnown() throws Exception {
    assertEquals(Optional.empty(), measure(question -> rule(true), Duration.ZERO));
  }
}
