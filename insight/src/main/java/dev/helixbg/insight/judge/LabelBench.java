package dev.helixbg.insight.judge;

import dev.helixbg.llm.Session;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Measures labelling as a run does it, beside the same work done one entry at a time.
 *
 * <p>Entries are made of words of no meaning, 100 to 250 tokens each by the model's own tokenizer;
 * the same for every run. Before anything counts, both ways must give the same labels.
 */
public final class LabelBench {
  private static final int MIN_TOKENS = 100;
  private static final int MAX_TOKENS = 250;

  /** Probabilities of the two ways may differ by so much; half-precision caches round. */
  private static final double SAME = 0.02;

  private static final String[] WORDS =
      ("the cache keeps stale rows after a rename of the folder and every reader waits until its"
              + " lock is free so that nothing is lost when two writers meet in one shard of the"
              + " index which was measured twice on a slow disk with forty threads")
          .split(" ");

  private final TextModel model;
  private final Judge judge;
  private final List<Question> questions;
  private final BooleanSupplier cancelled;

  /**
   * @param model stays open
   * @param entries how many to label
   */
  public LabelBench(TextModel model, int entries, BooleanSupplier cancelled) {
    this.model = model;
    this.cancelled = cancelled;
    judge = new Judge(model, 2 * MAX_TOKENS);
    questions = questions(model.tokenizer(), entries);
  }

  /**
   * What was measured; entries per second.
   *
   * @param newTokens per entry, without the opening that all share
   * @param openingTokens of the opening
   * @param together as a run does it
   * @param alone one entry at a time, opening read anew for each, all labels after one reading
   * @param apart one entry and one label at a time, each after a reading of its own
   */
  public record Result(
      int entries,
      double newTokens,
      int openingTokens,
      double together,
      double alone,
      double apart) {}

  /**
   * Measures.
   *
   * @param aloneEntries of how many entries {@code alone} is measured; {@code apart} of one for
   *     each label
   * @throws IllegalStateException if the two ways give different labels
   */
  public Result run(int aloneEntries) {
    int[] opening = model.chat().opening(Job.LABEL.systemPrompt());
    int few = Math.min(aloneEntries, questions.size());
    List<Answer> warm = together(questions.subList(0, few));
    check(warm, few);

    long start = System.nanoTime();
    together(questions);
    double together = questions.size() * 1e9 / (System.nanoTime() - start);

    start = System.nanoTime();
    for (int i = 0; i < few; i++) {
      alone(questions.get(i));
    }
    double alone = few * 1e9 / (System.nanoTime() - start);

    int fewer = Math.max(1, few / Label.values().length);
    start = System.nanoTime();
    for (int i = 0; i < fewer; i++) {
      apart(questions.get(i));
    }
    double apart = fewer * 1e9 / (System.nanoTime() - start);
    double newTokens =
        questions.stream()
            .mapToInt(question -> judge.prompts(question).getFirst().length - opening.length)
            .average()
            .orElse(0);
    return new Result(questions.size(), newTokens, opening.length, together, alone, apart);
  }

  private List<Answer> together(List<Question> some) {
    List<Answer> answers = new ArrayList<>();
    while (answers.size() < some.size()) {
      answers.addAll(judge.answerSome(some.subList(answers.size(), some.size()), cancelled));
    }
    return answers;
  }

  private void check(List<Answer> together, int count) {
    for (int i = 0; i < count; i++) {
      double[] shares = alone(questions.get(i));
      int label = Label.titled(together.get(i).text()).orElseThrow().ordinal();
      double best = Arrays.stream(shares).max().orElseThrow();
      if (best - shares[label] > SAME || Math.abs(best - together.get(i).probability()) > SAME) {
        throw new IllegalStateException(
            "entry %d: together %s, alone %s"
                .formatted(i, together.get(i), Arrays.toString(shares)));
      }
    }
  }

  private double[] alone(Question question) {
    try (Session session = model.session()) {
      return model.choose(session, judge.prompts(question), judge.choices(Job.LABEL), cancelled)[0];
    }
  }

  private void apart(Question question) {
    for (int[] label : judge.choices(Job.LABEL)) {
      try (Session session = model.session()) {
        model.score(session, judge.prompts(question), List.of(label), cancelled);
      }
    }
  }

  private static List<Question> questions(Tokenizer tokenizer, int entries) {
    Random random = new Random(200);
    List<Question> questions = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      int tokens = random.nextInt(MIN_TOKENS, MAX_TOKENS + 1);
      StringBuilder text = new StringBuilder();
      while (tokenizer.encode(text.toString()).length < tokens) {
        text.append(text.isEmpty() ? "" : " ").append(WORDS[random.nextInt(WORDS.length)]);
      }
      questions.add(new Question.LabelOf("topic-" + i % 10, text + "."));
    }
    return questions;
  }
}
