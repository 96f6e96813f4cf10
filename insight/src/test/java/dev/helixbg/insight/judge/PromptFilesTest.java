package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.label.Label;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromptFilesTest {
  /** The prompt explains exactly the labels of the code, in the same order. */
  @Test
  void theLabelsAreThoseOfThePrompt() {
    assertEquals(
        Arrays.stream(Label.values()).map(Label::title).toList(),
        QuestionKind.LABEL
            .systemPrompt()
            .lines()
            .filter(line -> line.contains(": "))
            .map(line -> line.substring(0, line.indexOf(':')))
            .toList());
  }

  @Test
  void theVerdictsAreThoseOfThePrompt() {
    for (QuestionKind job : List.of(QuestionKind.PAIR, QuestionKind.OVERTAKEN)) {
      assertEquals(3, job.choices().size());
      for (String choice : job.choices()) {
        assertTrue(job.systemPrompt().contains("\n" + choice + ": "), job + " " + choice);
      }
    }
    QuestionKind.PAIR.choices().forEach(choice -> Verdict.titled(choice).orElseThrow());
  }

  @Test
  void everyPromptHasAVersionOfItsOwn() {
    List<String> versions =
        Arrays.stream(QuestionKind.values()).map(QuestionKind::version).distinct().toList();
    assertEquals(QuestionKind.values().length, versions.size());
    assertNotEquals(Sha256.of(List.of("ab", "c")), Sha256.of(List.of("a", "bc")));
  }
}
