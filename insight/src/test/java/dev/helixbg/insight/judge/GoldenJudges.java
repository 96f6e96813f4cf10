package dev.helixbg.insight.judge;

import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Opens golden models as judges, and turns their cases into questions. */
final class GoldenJudges {
  private static final Pattern TURN =
      Pattern.compile(
          "<\\|im_start\\|>user\n(.*)<\\|im_end\\|>\n<\\|im_start\\|>assistant\n", Pattern.DOTALL);

  private GoldenJudges() {}

  static Judge open(GoldenModel golden) {
    ModelOptions options = ModelOptions.of(Device.CPU, 1, 4096);
    return new Judge(ModelOpener.open(golden.path(), options));
  }

  static Question question(GoldenCase expected) {
    Matcher turn = TURN.matcher(expected.prompt());
    if (!turn.find()) {
      throw new AssertionError(expected.prompt());
    }
    String user = turn.group(1);
    int line = user.indexOf('\n');
    return switch (expected.task()) {
      case "label" ->
          new Question.LabelOf(user.substring("Topic: ".length(), line), user.substring(line + 1));
      case "summary" ->
          new Question.Summarise(
              user.substring("Topic: ".length(), line), List.of(user.substring(line + 1)));
      case "pair" ->
          new Question.Compare(
              user.substring("A: ".length(), line), user.substring(line + 1 + "B: ".length()));
      default -> throw new AssertionError(expected.task());
    };
  }

  static List<Answer> ask(Judge judge, List<GoldenCase> cases) {
    List<Question> left = new ArrayList<>(cases.stream().map(GoldenJudges::question).toList());
    List<Answer> answers = new ArrayList<>();
    while (!left.isEmpty()) {
      List<Answer> some = judge.answerSome(left, () -> false);
      answers.addAll(some);
      left.subList(0, some.size()).clear();
    }
    return answers;
  }
}
