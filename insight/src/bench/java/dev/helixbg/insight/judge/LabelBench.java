package dev.helixbg.insight.judge;

import dev.helixbg.embed.SpeedTrial.Median;
import dev.helixbg.insight.label.Label;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.tokenizer.BpeTokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/**
 * Measures two ways of labelling entries with a language model: several entries together, as a run
 * does, and one entry at a time.
 *
 * <p>The entries are random sequences of words, with 100 to 250 tokens of the model's tokenizer,
 * and are the same each time. Before the measurement, both ways must give the same labels.
 */
public final class LabelBench {
  private static final int MIN_TOKENS = 100;
  private static final int MAX_TOKENS = 250;

  /**
   * Maximum difference between the probabilities that the two ways give. They differ because caches
   * in half precision round.
   */
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
   * @param model the language model, which the caller closes
   * @param entries number of entries to label
   */
  public LabelBench(TextModel model, int entries, BooleanSupplier cancelled) {
    this.model = model;
    this.cancelled = cancelled;
    judge = new Judge(model);
    questions = questions(model.tokenizer(), entries);
  }

  /**
   * Results of the measurement.
   *
   * @param newTokens mean number of tokens of an entry's prompt, without the tokens that all
   *     prompts share
   * @param sharedTokens number of tokens that all prompts share, which are read once
   * @param together entries per second if several entries are read together
   * @param alone entries per second if one entry is read at a time, with its whole prompt
   * @param promptPerSecond prompt tokens that the model reads per second, as a median
   */
  public record Result(
      int entries,
      double newTokens,
      int sharedTokens,
      double together,
      double alone,
      double promptPerSecond) {}

  /**
   * Measures both ways and the speed of prompts by turns, so that other work of the machine affects
   * all of them.
   *
   * @param aloneEntries number of entries that are also labelled one at a time
   * @param prompts number of calls of {@code promptSpeed}
   * @param promptSpeed reads a prompt; returns the speed in tokens per second
   * @throws IllegalStateException when the two ways give different labels
   */
  public Result run(int aloneEntries, int prompts, DoubleSupplier promptSpeed) {
    int few = Math.min(aloneEntries, questions.size());
    check(few);
    long together = 0;
    long alone = 0;
    int aloneDone = 0;
    List<Double> speeds = new ArrayList<>();
    for (int done = 0; done < questions.size(); ) {
      long start = System.nanoTime();
      done += judge.answerSome(questions.subList(done, questions.size()), cancelled).size();
      together += System.nanoTime() - start;
      while (aloneDone * questions.size() < few * done) {
        Question question = questions.get(aloneDone++);
        start = System.nanoTime();
        alone(question);
        alone += System.nanoTime() - start;
      }
      while (speeds.size() * questions.size() < prompts * done) {
        speeds.add(promptSpeed.getAsDouble());
      }
    }
    QuestionKind job = QuestionKind.LABEL;
    int shared = model.chat().opening(job.systemPrompt(), QuestionPrompts.lead(job)).length;
    double newTokens =
        questions.stream()
            .mapToInt(question -> judge.prompts(question).getFirst().length - shared)
            .average()
            .orElse(0);
    return new Result(
        questions.size(),
        newTokens,
        shared,
        questions.size() * 1e9 / together,
        few * 1e9 / alone,
        Median.of(speeds.stream().mapToDouble(Double::doubleValue).toArray()));
  }

  private void check(int count) {
    List<Answer> together = new ArrayList<>();
    while (together.size() < count) {
      together.addAll(judge.answerSome(questions.subList(together.size(), count), cancelled));
    }
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
    List<int[]> labels = QuestionKind.LABEL.choices().stream().map(model.chat()::answer).toList();
    try (Session session = model.session()) {
      return model.choose(session, judge.prompts(question), labels, cancelled)[0];
    }
  }

  private static List<Question> questions(BpeTokenizer tokenizer, int entries) {
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
