package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the answers of a {@link Judge} with the golden (known) answers of the models. */
class GoldenJudgeTest {
  /**
   * Whether all golden cases are tested ({@code -Dgolden.all}). Otherwise, each model is tested
   * with a different quarter of the cases of each task.
   */
  private static final boolean ALL = Boolean.getBoolean("golden.all");

  /**
   * Maximum change of a probability by other questions in the batch, or by kernels that are
   * compiled meanwhile.
   */
  private static final double BATCH_BOUND = 1e-3;

  private static List<GoldenCase> cases(GoldenModel golden, String task) {
    List<GoldenCase> cases =
        golden.cases().stream().filter(expected -> expected.task().equals(task)).toList();
    return IntStream.range(0, cases.size())
        .filter(i -> ALL || i % 4 == golden.ordinal() % 4)
        .mapToObj(cases::get)
        .toList();
  }

  @Test
  void everyPromptIsTheGoldenOneCharacterByCharacterAndTokenByToken() {
    try (Judge judge = GoldenJudges.open(GoldenModel.Q4_0)) {
      for (GoldenCase expected : GoldenModel.Q4_0.cases()) {
        Question question = GoldenJudges.question(expected);
        String user = user(question);
        assertEquals(
            expected.prompt(),
            "<|im_start|>system\n"
                + question.job().systemPrompt()
                + "<|im_end|>\n<|im_start|>user\n"
                + user
                + "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
        assertArrayEquals(
            expected.promptIds(), judge.prompts(question).getFirst(), expected.toString());
      }
    }
  }

  /**
   * Returns the expected text of a question. This code follows shared/prompts/README.md and is
   * independent of the code under test.
   */
  private static String user(Question question) {
    return switch (question) {
      case Question.LabelOf(String topic, String content) -> "Topic: " + topic + "\n" + content;
      case Question.Summarise(String topic, List<String> contents) ->
          "Topic: " + topic + "\n" + contents.getFirst();
      case Question.Compare(String a, String b, _) -> "A: " + a + "\nB: " + b;
      case Question.Merge _, Question.Overtaken _, Question.LessonOf _, Question.CompareLessons _ ->
          throw new AssertionError("no golden case");
    };
  }

  /**
   * The answer about a pair is compared in the order of the golden case only; a run uses the mean
   * of both orders.
   */
  @ParameterizedTest
  @EnumSource
  void answersAreTheGoldenOnes(GoldenModel golden) {
    try (Judge judge = GoldenJudges.open(golden)) {
      for (String task : List.of("label", "summary")) {
        List<GoldenCase> cases = cases(golden, task);
        List<Answer> answers = GoldenJudges.ask(judge, cases);
        assertFalse(cases.isEmpty());
        for (int i = 0; i < cases.size(); i++) {
          assertEquals(
              judge.model().tokenizer().decode(greedy(cases.get(i))), answers.get(i).text());
          assertFalse(answers.get(i).cut());
        }
      }
      for (GoldenCase expected : cases(golden, "pair")) {
        Question question = GoldenJudges.question(expected);
        double[] first = orders(judge, question)[0];
        int best = IntStream.range(1, 3).reduce(0, (a, b) -> first[b] > first[a] ? b : a);
        assertEquals(
            judge.model().tokenizer().decode(greedy(expected)),
            question.job().choices().get(best),
            expected.toString());
      }
    }
  }

  /** Returns the tokens of the answer, without the token that ends it. */
  private static int[] greedy(GoldenCase expected) {
    return Arrays.copyOf(expected.greedyIds(), expected.greedyIds().length - 1);
  }

  @Test
  void aVerdictIsTheMeanOfBothOrdersWhoeverComesFirst() {
    try (Judge judge = GoldenJudges.open(GoldenModel.F16)) {
      for (GoldenCase expected : cases(GoldenModel.F16, "pair")) {
        Question.Compare pair = (Question.Compare) GoldenJudges.question(expected);
        Question.Compare swapped = new Question.Compare(pair.b(), pair.a());
        assertEquals(pair.key(), swapped.key());
        for (Question.Compare question : List.of(pair, swapped)) {
          Answer mean = judge.answerSome(List.of(question), () -> false).getFirst();
          double sum = 0;
          for (double[] order : orders(judge, pair)) {
            sum += order[question.job().choices().indexOf(mean.text())];
          }
          assertEquals(sum / 2, mean.probability(), BATCH_BOUND);
          assertTrue(mean.probability() >= mean.runnerUpProbability());
        }
      }
    }
  }

  /**
   * Returns the probability of each choice in each order of a question's texts. Each order is asked
   * separately.
   */
  private static double[][] orders(Judge judge, Question question) {
    TextModel model = judge.model();
    List<int[]> choices =
        question.job().choices().stream().map(choice -> model.chat().answer(choice)).toList();
    try (TextModel.Session session = model.session()) {
      return judge.prompts(question).stream()
          .map(prompt -> model.choose(session, List.of(prompt), choices, () -> false)[0])
          .toArray(double[][]::new);
    }
  }

  /** Even in many batches, the model reads the shared beginning of the prompts only once. */
  @Test
  void theOpeningOfAJobIsReadOnce() {
    ModelOptions options = ModelOptions.of(Device.CPU, 1, 4096);
    TextModel model = ModelOpener.open(GoldenModel.Q8_0.path(), options);
    try (Judge judge = new Judge(model)) {
      List<GoldenCase> cases = cases(GoldenModel.Q8_0, "label");
      long before = model.backend().counters().get(Counter.ROWS);
      cases.forEach(one -> GoldenJudges.ask(judge, List.of(one)));
      long rows = model.backend().counters().get(Counter.ROWS) - before;
      QuestionKind job = QuestionKind.LABEL;
      int shared = model.chat().opening(job.systemPrompt(), QuestionPrompts.lead(job)).length;
      int fresh = cases.stream().mapToInt(one -> one.promptIds().length - shared).sum();
      assertTrue(shared > 100, shared + " shared tokens");
      assertTrue(rows >= shared + fresh, rows + " rows");
      // To tell the labels apart, the model reads a few more tokens; each pass has at least eight.
      assertTrue(rows < shared + fresh + 24 * cases.size(), rows + " rows");
    }
  }
}
