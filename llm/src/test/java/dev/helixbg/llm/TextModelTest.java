package dev.helixbg.llm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.tokenizer.ChatTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine as other modules use it: text in, text and probabilities out. */
class TextModelTest {
  private static final List<String> VERDICTS = List.of("same", "related", "different");

  private static final ModelOptions OPTIONS = ModelOptions.of(Device.CPU, 2, 1024);

  private static TextModel open(Path path) {
    return ModelOpener.open(path, OPTIONS);
  }

  private static String between(String text, String from, String to) {
    int start = text.indexOf(from) + from.length();
    return text.substring(start, text.indexOf(to, start));
  }

  private static String user(GoldenCase golden) {
    return between(golden.prompt(), "user\n", "<|im_end|>\n<|im_start|>assistant");
  }

  private static List<GoldenCase> cases(String task, int count) {
    return GoldenModel.Q8_0.cases().stream()
        .filter(c -> c.task().equals(task))
        .limit(count)
        .toList();
  }

  @Test
  void textIsAnsweredInTheChatFormAfterAnOpeningThatIsReadOnce() {
    try (TextModel model = open(GoldenModel.Q8_0.path());
        Session opening = model.session()) {
      ChatTemplate chat = model.chat();
      List<GoldenCase> summaries = cases("summary", 2);
      String system = between(summaries.getFirst().prompt(), "system\n", "<|im_end|>");
      model.read(opening, chat.opening(system), () -> false);
      for (GoldenCase summary : summaries) {
        try (Session session = new Session(opening.cache().fork(opening.cache().length()))) {
          GenerationOptions options = new GenerationOptions(64, model.tokenizer().endTokens());
          Generation answer =
              model.generate(
                  session, chat.request(user(summary), false), options, id -> {}, () -> false);
          assertArrayEquals(
              Arrays.copyOf(summary.greedyIds(), summary.greedyIds().length - 1),
              answer.tokenIds());
        }
      }
      assertEquals(chat.opening(system).length, opening.cache().length());
    }
  }

  @Test
  void scoringChoosesTheGreedyAnswer() {
    try (TextModel model = open(GoldenModel.Q8_0.path());
        Session opening = model.session()) {
      ChatTemplate chat = model.chat();
      List<GoldenCase> pairs = cases("pair", 4);
      String system = between(pairs.getFirst().prompt(), "system\n", "<|im_end|>");
      model.read(opening, chat.opening(system), () -> false);
      List<int[]> requests = pairs.stream().map(c -> chat.request(user(c), false)).toList();
      List<int[]> answers = VERDICTS.stream().map(chat::answer).toList();
      double[][] shares = model.choose(opening, requests, answers, () -> false);
      for (int i = 0; i < pairs.size(); i++) {
        double[] row = shares[i];
        int best =
            IntStream.range(0, row.length)
                .boxed()
                .max(Comparator.comparingDouble(j -> row[j]))
                .orElseThrow();
        assertArrayEquals(pairs.get(i).greedyIds(), answers.get(best));
      }
    }
  }

  @Test
  void anOpenModelSaysItsNameAndContext() {
    try (TextModel model = open(GoldenModel.Q4_0.path())) {
      assertEquals("helix golden", model.name());
      assertEquals(1024, model.contextLimit());
      assertEquals(List.of(), model.warnings());
    }
  }

  @Test
  void aFileCutShortIsRefusedWhenOpened(@TempDir Path folder) throws IOException {
    byte[] whole = Files.readAllBytes(GoldenModel.Q4_0.path());
    Path cut = Files.write(folder.resolve("cut.gguf"), Arrays.copyOf(whole, whole.length - 4096));
    GgufException error = assertThrows(GgufException.class, () -> open(cut));
    assertTrue(error.getMessage().contains("do not fit"), error.getMessage());
  }
}
