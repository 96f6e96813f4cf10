package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.label.Label;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PromptFilesTest {
  /** What the prompt explains is what the code knows, in the same order. */
  @Test
  void theLabelsAreThoseOfThePrompt() {
    String lines =
        Arrays.stream(Label.values())
            .map(label -> label.title() + ": " + label.description())
            .collect(Collectors.joining("\n"));
    assertEquals(
        "You label entries of a software developer's knowledge base.\n"
            + lines
            + "\nAnswer with one label.",
        QuestionKind.LABEL.systemPrompt());
  }

  @Test
  void theVerdictsAreThoseOfThePrompt() {
    for (QuestionKind job :
        List.of(QuestionKind.PAIR, QuestionKind.OVERTAKEN, QuestionKind.TOPICS)) {
      assertEquals(3, job.choices().size());
      for (String choice : job.choices()) {
        assertTrue(job.systemPrompt().contains("\n" + choice + ": "), job + " " + choice);
      }
    }
    for (QuestionKind job : List.of(QuestionKind.PAIR, QuestionKind.TOPICS)) {
      job.choices().forEach(choice -> Verdict.titled(choice).orElseThrow());
    }
  }

  @Test
  void everyPromptHasAVersionOfItsOwn() {
    List<String> versions =
        Arrays.stream(QuestionKind.values()).map(QuestionKind::version).distinct().toList();
    assertEquals(QuestionKind.values().length, versions.size());
    assertNotEquals(Sha256.of(List.of("ab", "c")), Sha256.of(List.of("a", "bc")));
  }
}
