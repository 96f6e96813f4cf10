package dev.helixbg.embed.bench;

import dev.helixbg.embed.SpeedTrial.Median;
import dev.helixbg.embed.cache.Cosine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Measures the speed of several methods of embedding (contenders) on the same texts. In each round,
 * all contenders run one after another, so that a change of the machine's clock rate or load
 * affects all of them. Before the measurement, each contender's vectors are compared with the
 * vectors of the first contender.
 */
public final class EmbedBench {

  private static final double UNIT_TOLERANCE = 1e-4;

  /**
   * Result of one contender on one set of texts. The three speeds are medians over the rounds.
   *
   * @param tokensPerSecond number of tokens per second, without padding
   * @param gflops speed in 10⁹ floating-point operations per second, as counted by {@link #flops}
   * @param worstCosine lowest cosine between a vector and the first contender's vector of the same
   *     text
   */
  public record Result(
      String contender,
      String texts,
      double textsPerSecond,
      double tokensPerSecond,
      double gflops,
      double worstCosine) {}

  /**
   * A contender with its name, and the minimum cosine of its vectors to the first contender's
   * vectors.
   */
  public record Entrant(String name, Contender contender, double minimumCosine) {}

  private static final int LAYERS = 6;
  private static final int WIDTH = 384;
  private static final int FEED_FORWARD = 1536;

  private EmbedBench() {}

  /**
   * Returns the number of operations that the network needs for a text; a multiply-add counts as
   * two operations. Per layer and token, the six matrices need 2 · (4 · width² + 2 · width ·
   * feed-forward) operations, and attention needs 4 · tokens · width. Padding, normalisation and
   * lookups do not count.
   */
  public static double flops(int tokens) {
    double matrices = 2.0 * (4.0 * WIDTH * WIDTH + 2.0 * WIDTH * FEED_FORWARD);
    double attention = 4.0 * tokens * WIDTH;
    return LAYERS * tokens * (matrices + attention);
  }

  /**
   * Runs all contenders on one set of texts.
   *
   * @param tokenCount returns the number of tokens of a text that the network reads, after the text
   *     is cut at the token limit
   * @throws IllegalStateException when a contender's vectors are wrong
   */
  public static List<Result> run(
      List<Entrant> entrants, BenchTexts set, ToIntFunction<String> tokenCount, int rounds)
      throws InterruptedException {
    List<String> texts = set.texts();
    double[] worst = check(entrants, texts);
    double[][] seconds = new double[entrants.size()][rounds];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < entrants.size(); i++) {
        long start = System.nanoTime();
        entrants.get(i).contender.embed(texts);
        seconds[i][round] = (System.nanoTime() - start) / 1e9;
      }
    }
    int[] counts = texts.stream().mapToInt(tokenCount).toArray();
    double tokens = Arrays.stream(counts).asDoubleStream().sum();
    double flops = Arrays.stream(counts).mapToDouble(EmbedBench::flops).sum();
    List<Result> results = new ArrayList<>();
    for (int i = 0; i < entrants.size(); i++) {
      double median = Median.of(seconds[i]);
      results.add(
          new Result(
              entrants.get(i).name,
              set.name(),
              texts.size() / median,
              tokens / median,
              flops / median / 1e9,
              worst[i]));
    }
    return results;
  }

  /**
   * Returns each contender's lowest cosine to the first contender; throws if it is too low. Because
   * each contender embeds all texts, this also warms it up.
   */
  private static double[] check(List<Entrant> entrants, List<String> texts)
      throws InterruptedException {
    double[] worst = new double[entrants.size()];
    float[][] reference = null;
    for (int i = 0; i < worst.length; i++) {
      Entrant entrant = entrants.get(i);
      float[][] vectors = entrant.contender.embed(texts);
      reference = reference == null ? vectors : reference;
      worst[i] = 1;
      for (int text = 0; text < vectors.length; text++) {
        double length = Cosine.of(vectors[text], vectors[text]);
        double cosine = Cosine.of(vectors[text], reference[text]);
        worst[i] = Math.min(worst[i], cosine);
        if (!(Math.abs(length - 1) < UNIT_TOLERANCE && cosine >= entrant.minimumCosine)) {
          throw new IllegalStateException(
              entrant.name
                  + " gives a wrong vector for text "
                  + text
                  + ": squared length "
                  + length
                  + ", cosine to "
                  + entrants.getFirst().name
                  + " "
                  + cosine);
        }
      }
    }
    return worst;
  }
}
