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

/** The golden answers, by the way that a run takes: questions in, answers out. */
class GoldenJudgeTest {
  /**
   * All with {@code -Dgolden.all}; else every fourth, of all tasks, another fourth in each file.
   */
  private static final boolean ALL = Boolean.getBoolean("golden.all");

  /** What company in a batch, or a kernel compiled meanwhile, may change of a probability. */
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

  /** Written by hand from shared/prompts/README.md, not by the code under test. */
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

  /** For pairs in the order of the case; what a run says of a pair is the mean of both orders. */
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

  /** Without the token that ends the answer. */
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

  /** How likely each choice is in each order of a question's texts, each asked for itself. */
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

  /** However many batches: what is read is the opening, and what is new in each prompt. */
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
      // The ways to where labels part are a few tokens, and no pass has less than eight.
      assertTrue(rows < shared + fresh + 24 * cases.size(), rows + " rows");
    }
  }
}
