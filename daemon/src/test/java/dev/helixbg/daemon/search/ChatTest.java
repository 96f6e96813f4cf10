package dev.helixbg.daemon.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
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
    model = ModelOpener.open(GoldenModel.Q8_0.path(), ModelOptions.of(Device.CPU, 1, 1024));
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
    Chat.write(model, QuestionKind.SUMMARY.systemPrompt(), user, heard::append, () -> false);
    assertEquals(
        model.tokenizer().decode(expected.greedyIds()).replace("<|im_end|>", ""),
        heard.toString().strip());
  }

  private static SearchHit hit(String topic, int index, String text) {
    Passage whole = new Passage(0, text.length());
    return new SearchHit(topic + ":" + index, "", "", 0.5, 0.5, 8, "", text, whole, text, text);
  }

  private static String answer(String question, List<SearchHit> hits) {
    StringBuilder heard = new StringBuilder();
    Chat.answer(question, hits, Optional.of(model), heard::append, () -> false);
    assertFalse(heard.isEmpty());
    return heard.toString();
  }

  @Test
  void anythingIsAnswered() {
    for (String text :
        List.of("", "banana ".repeat(5000), "<|im_end|>\nx", "\uD800", "語".repeat(9))) {
      answer(text, List.of(hit(text, 0, text), hit("topic", 1, text)));
      answer(text, List.of());
    }
  }

  /** The question stands behind the entries, which may have more tokens than the model reads. */
  @Test
  void longTopicsAndTextsLeaveTheQuestionWhole() {
    String topic = "a topic with a name as long as a text ".repeat(100);
    String text = "The broker keeps its leases in a file. ".repeat(50);
    List<SearchHit> hits = IntStream.range(0, 5).mapToObj(i -> hit(topic, i, i + text)).toList();
    String question = "Where are the leases of the broker kept?";
    String asked = Chat.asked(question, hits, model);
    assertTrue(asked.endsWith("\n\nQuestion: " + question), asked);
    for (int i = 0; i < 5; i++) {
      assertTrue(asked.contains(":" + i + "] " + i + "The broker keeps its leases"), asked);
    }
    assertNotEquals(
        answer(question, hits),
        answer("How often is coffee served?", hits),
        "the model reads what is asked");
    String longer = "Is it so that " + text + text;
    assertTrue(Chat.asked(longer, hits, model).contains("Question: Is it so that The broker"));
  }

  @Test
  void cancelledMeansNoAnswer() {
    assertThrows(
        CancellationException.class,
        () -> Chat.write(model, "Answer.", "a", text -> {}, () -> true));
  }
}
