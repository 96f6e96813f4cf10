package dev.helixbg.insight.label;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.Embedder;
import dev.helixbg.insight.label.LabelTraining.Example;
import dev.helixbg.insight.label.LabelTraining.Quality;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the bundled classifier on entries about code bases that were not used for its training. */
final class LabelClassifierTest {
  private static List<Example> train;
  private static List<Example> test;

  @BeforeAll
  static void embed() throws Exception {
    Path folder = Path.of("src/test/resources/labels");
    Path prepared = Path.of("../embed/target/test-cache").toAbsolutePath();
    try (Embedder embedder = LabelTraining.model(prepared).open()) {
      train = LabelTraining.read(folder.resolve("train.tsv"), embedder);
      test = LabelTraining.read(folder.resolve("test.tsv"), embedder);
    }
  }

  @Test
  void answersHalfOfTheEntriesAndIsRightInThreeOfFour() {
    Quality quality = LabelTraining.quality(LabelClassifier.shipped(), test);

    assertTrue(quality.answered() >= 0.5, quality::toString);
    assertTrue(quality.rightWhereAnswered() >= 0.8, quality::toString);
    assertTrue(quality.right() >= 0.65, quality::toString);
  }

  @Test
  void theWeightsAreThoseThatTheExamplesGive() {
    LabelClassifier fitted = LabelClassifier.parse(LabelTraining.fit(train));
    LabelClassifier shipped = LabelClassifier.shipped();

    for (Example example : test) {
      LabelGuess one = fitted.guess(example.text(), example.vector());
      LabelGuess other = shipped.guess(example.text(), example.vector());
      assertEquals(one.score(), other.score(), 0.005, example.text());
    }
  }

  @Test
  void everyLabelHasItsExamplesAndNoneIsInBothSets() {
    for (Label label : Label.values()) {
      assertTrue(train.stream().filter(e -> e.label() == label).count() >= 40, label.title());
      assertTrue(test.stream().filter(e -> e.label() == label).count() >= 12, label.title());
    }
    Set<String> texts = Set.copyOf(train.stream().map(Example::text).toList());
    assertTrue(test.stream().noneMatch(e -> texts.contains(e.text())));
  }

  @Test
  void textsWithoutAKnownWordAreGuessedByTheirVectorAlone() {
    float[] vector = test.getFirst().vector();
    for (String text : List.of("", "日本語", "\u0000\uD800", "x".repeat(100_000))) {
      LabelGuess guess = LabelClassifier.shipped().guess(text, vector);
      assertTrue(Double.isFinite(guess.score()));
    }
  }

  @Test
  void theWeightsAreReadOnce() {
    assertSame(LabelClassifier.shipped(), LabelClassifier.shipped());
  }
}
