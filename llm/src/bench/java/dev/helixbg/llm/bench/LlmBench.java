package dev.helixbg.llm.bench;

import com.sun.management.ThreadMXBean;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/**
 * Measures a model as llama-bench does, with random tokens and a fresh cache for each run. After
 * one run to warm up, the given number of runs is measured. Runs of the model alternate with runs
 * of a rival, another engine.
 *
 * <p>{@code pp512} reads a prompt of 512 tokens and computes the logits of its last token. {@code
 * tg64} runs 64 passes of one token, each of which computes logits and chooses a token. {@code
 * tg64x8} generates eight answers of 64 tokens each, in parallel.
 */
public final class LlmBench {
  private final TextModel model;
  private final int repetitions;
  private final int threads;
  private final BooleanSupplier cancelled;
  private final Optional<Rival> rival;
  private final Random random = new Random(1);

  /**
   * @param repetitions number of measured runs, at least 1
   * @param threads number of threads on which the model runs
   * @param cancelled returns true to cancel; called between passes
   * @param rival another engine, which runs the same model file with the same number of threads
   */
  public LlmBench(
      TextModel model,
      int repetitions,
      int threads,
      BooleanSupplier cancelled,
      Optional<Rival> rival) {
    this.model = model;
    this.repetitions = repetitions;
    this.threads = threads;
    this.cancelled = cancelled;
    this.rival = rival;
  }

  /**
   * Results of one test.
   *
   * @param test {@code pp} or {@code tg}, the number of tokens, and the number of parallel answers
   * @param tokensPerSecond mean over the repetitions
   * @param deviation standard deviation over the repetitions
   * @param median median of the repetitions
   * @param rivalMedian median of the rival's repetitions; 0 without a rival
   * @param weightGigabytesPerSecond speed at which the model reads weights; each forward pass
   *     counts its weights once
   * @param memoryGigabytesPerSecond speed at which the same number of threads can read the model's
   *     file from memory. It is measured before every repetition, because on a shared machine it
   *     varies from second to second.
   * @param allocatedBytesPerToken bytes that all threads allocate on the heap, per token
   */
  public record Result(
      String test,
      double tokensPerSecond,
      double deviation,
      double median,
      double rivalMedian,
      double weightGigabytesPerSecond,
      double memoryGigabytesPerSecond,
      double allocatedBytesPerToken) {}

  /**
   * Measures reading a prompt of {@code tokens} tokens.
   *
   * @throws RivalException if the rival fails
   */
  public Result prompt(int tokens) {
    return measure("pp" + tokens, tokens, () -> generate(tokens, 1), () -> round("pp", tokens));
  }

  /**
   * Measures generating {@code tokens} tokens after a prompt of one token.
   *
   * @throws RivalException if the rival fails
   */
  public Result generation(int tokens) {
    return measure("tg" + tokens, tokens, () -> generate(1, tokens), () -> round("tg", tokens));
  }

  private void generate(int promptTokens, int answerTokens) {
    int[] prompt = random.ints(promptTokens, 0, model.model().vocabulary()).toArray();
    GenerationOptions options = new GenerationOptions(answerTokens, Set.of());
    try (Session session = model.session()) {
      Generation answer = model.generate(session, prompt, options, id -> {}, cancelled);
      if (answer.tokenIds().length != answerTokens && !cancelled.getAsBoolean()) {
        throw new IllegalStateException("the answer ended early: " + answer.stopReason());
      }
    }
  }

  /**
   * Measures generating {@code answers} answers of {@code tokens} tokens in parallel, each after a
   * prompt of one token. The rival does not run this test.
   */
  public Result generation(int tokens, int answers) {
    String test = "tg%dx%d".formatted(tokens, answers);
    return measure(test, tokens * answers, () -> generateAll(tokens, answers), () -> 0);
  }

  private void generateAll(int tokens, int answers) {
    List<int[]> prompts =
        random.ints(answers, 0, model.model().vocabulary()).mapToObj(id -> new int[] {id}).toList();
    try (Session session = model.session()) {
      GenerationOptions options = new GenerationOptions(tokens, Set.of());
      for (Generation answer : model.generateAll(session, prompts, options, cancelled)) {
        if (answer.tokenIds().length != tokens) {
          throw new IllegalStateException("an answer ended early: " + answer.stopReason());
        }
      }
    }
  }

  /**
   * @param tokens number of tokens that the work reads or generates
   * @param rivalsRound runs a round of the rival and returns its speed, or 0 if there is no rival
   */
  private Result measure(String test, int tokens, Runnable work, DoubleSupplier rivalsRound) {
    work.run();
    rivalsRound.getAsDouble();
    List<Double> speeds = new ArrayList<>();
    List<Double> rivals = new ArrayList<>();
    long weights = model.backend().counters().get(Counter.WEIGHT_BYTES);
    long allocated = 0;
    long nanos = 0;
    double memory = 0;
    for (int i = 0; i < repetitions && !cancelled.getAsBoolean(); i++) {
      memory += MemoryCeiling.gigabytesPerSecond(model.file().mapped().bytes(), threads);
      long before = allocatedBytes();
      long start = System.nanoTime();
      work.run();
      long taken = System.nanoTime() - start;
      allocated += allocatedBytes() - before;
      nanos += taken;
      speeds.add(tokens * 1e9 / taken);
      double rivalSpeed = rivalsRound.getAsDouble();
      if (!cancelled.getAsBoolean()) {
        rivals.add(rivalSpeed);
      }
    }
    weights = model.backend().counters().get(Counter.WEIGHT_BYTES) - weights;
    double[] all = sorted(speeds);
    double mean = Arrays.stream(all).average().orElse(0);
    return new Result(
        test,
        mean,
        deviation(all, mean),
        median(all),
        median(sorted(rivals)),
        (double) weights / Math.max(1, nanos),
        memory / Math.max(1, all.length),
        (double) allocated / tokens / Math.max(1, all.length));
  }

  private double round(String test, int tokens) {
    return rival.isEmpty() || cancelled.getAsBoolean() ? 0 : rival.get().round(test, tokens);
  }

  private static double[] sorted(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }

  private static double median(double[] sorted) {
    int half = sorted.length / 2;
    if (half == 0) {
      return sorted.length == 0 ? 0 : sorted[0];
    }
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Returns the standard deviation of a sample, which divides by the sample's size minus one. */
  private static double deviation(double[] values, double mean) {
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
  }
}
