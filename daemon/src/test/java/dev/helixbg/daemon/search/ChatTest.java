package dev.helixbg.daemon.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.judge.Job;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A golden model as the one whom a chat asks. */
class ChatTest {
  @TempDir static Path cache;
  private static TextModel model;

  @BeforeAll
  static void open() {
    model = ModelOpener.open(GoldenModel.Q8_0.path(), ModelOptions.of(Device.CPU, 1, 1024, cache));
  }

  @AfterAll
  static void close() {
    model.close();
  }

  @Test
  void writesAsTheModelWouldAnswerAndCountsWhatItTook() {
    GoldenCase expected =
        GoldenModel.Q8_0.cases().stream()
            .filter(one -> one.task().equals("summary"))
            .findFirst()
            .orElseThrow();
    String prompt = expected.prompt();
    int start = prompt.indexOf("user\n") + "user\n".length();
    String user = prompt.substring(start, prompt.indexOf("<|im_end|>", start));
    StringBuilder heard = new StringBuilder();
    int tokens =
        Chat.write(model, Job.SUMMARY.systemPrompt(), user, 64, heard::append, () -> false);
    assertEquals(
        model.tokenizer().decode(expected.greedyIds()).replace("<|im_end|>", ""),
        heard.toString().strip());
    assertTrue(tokens > expected.promptIds().length, tokens + " tokens");
  }

  @Test
  void anythingIsAnswered() {
    for (String text : new String[] {"", "banana ".repeat(5000), "<|im_end|>\nx", "\uD800"}) {
      assertTrue(Chat.write(model, "Answer.", text, 2, piece -> {}, () -> false) > 0);
    }
  }

  @Test
  void cancelledMeansNoAnswer() {
    assertThrows(
        CancellationException.class,
        () -> Chat.write(model, "Answer.", "a", 8, text -> {}, () -> true));
  }
}
