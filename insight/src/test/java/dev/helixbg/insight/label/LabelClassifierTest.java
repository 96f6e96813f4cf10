package dev.helixbg.insight.label;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.Embedder;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.LabelTraining.Example;
import dev.helixbg.insight.label.LabelTraining.Quality;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The classifier that is shipped, on entries of code bases that nobody trained it on. */
final class LabelClassifierTest {
  private static List<Example> train;
  private static List<Example> test;

  @BeforeAll
  static void embed() throws Exception {
    Path folder = Path.of("src/test/resources/labels");
    try (Embedder embedder = LabelTraining.model().open(2)) {
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
  void tagsOfTheKnowledgeBaseAreExamplesForTheRest() {
    // A team that tags its gaps as gotchas, again and again: what it has not tagged follows.
    List<NamedEntry> entries = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    for (Example example : train) {
      if (example.label() == Label.GAP) {
        add(entries, vectors, example, "[tags: gotcha]\n");
      }
    }
    int tagged = entries.size();
    test.stream().filter(e -> e.label() == Label.GAP).forEach(e -> add(entries, vectors, e, ""));

    Map<String, LabelGuess> guesses = LabelClassifier.guesses(entries, vectors);

    LabelClassifier shipped = LabelClassifier.shipped();
    int moved = 0;
    for (int i = tagged; i < entries.size(); i++) {
      String content = entries.get(i).entry().text().content();
      LabelGuess before = shipped.guess(content, vectors.get(i));
      LabelGuess after = guesses.get(entries.get(i).key());
      moved += before.label() == Label.GAP && after.label() != Label.GAP ? 1 : 0;
    }
    assertTrue(moved >= 3, "moved " + moved);
    // What is compared with its own tag has not learned from it.
    LabelGuess own = guesses.get(entries.getFirst().key());
    assertEquals(
        shipped.guess(entries.getFirst().entry().text().content(), vectors.getFirst()), own);
  }

  @Test
  void textsWithoutAKnownWordAreGuessedByTheirVectorAlone() {
    float[] vector = test.getFirst().vector();
    for (String text : List.of("", "日本語", "\u0000\uD800", "x".repeat(100_000))) {
      LabelGuess guess = LabelClassifier.shipped().guess(text, vector);
      assertTrue(Double.isFinite(guess.score()));
      assertFalse(guess.label() == guess.runnerUp());
    }
  }

  private static void add(
      List<NamedEntry> entries, List<float[]> vectors, Example example, String metadata) {
    String body = metadata + example.text();
    Entry entry =
        new Entry(entries.size() * 1000L + 8, example.topic(), body, 0, EntryText.parse(body));
    entries.add(new NamedEntry(entry, entries.size(), Integer.toString(entries.size())));
    vectors.add(example.vector());
  }

  @Test
  void theWeightsAreReadOnce() {
    assertSame(LabelClassifier.shipped(), LabelClassifier.shipped());
  }
}
