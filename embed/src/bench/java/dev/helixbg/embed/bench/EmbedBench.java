package dev.helixbg.embed.bench;

import dev.helixbg.embed.SpeedTrial.Median;
import dev.helixbg.embed.cache.Cosine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Times contenders on the same texts in interleaved rounds, so that a change of the machine's clock
 * or load meets all of them alike. Before the clock starts, each contender's vectors are checked
 * against the first one's.
 */
public final class EmbedBench {

  private static final double UNIT_TOLERANCE = 1e-4;

  /**
   * What one contender did with one set of texts.
   *
   * @param textsPerSecond the median over the rounds, as are the next two
   * @param tokensPerSecond tokens of the texts, without padding
   * @param gflops 10⁹ useful floating-point operations per second, see {@link #flops}
   * @param worstCosine of any vector to the first contender's
   */
  public record Result(
      String contender,
      String texts,
      double textsPerSecond,
      double tokensPerSecond,
      double gflops,
      double worstCosine) {}

  /** Something to measure, and how close its vectors must be to the first contender's. */
  public record Entrant(String name, Contender contender, double minimumCosine) {}

  private static final int LAYERS = 6;
  private static final int WIDTH = 384;
  private static final int FEED_FORWARD = 1536;

  private EmbedBench() {}

  /**
   * Operations that the network needs for a text, two per multiply-add: per layer and token 2 · (4
   * · width² + 2 · width · feed-forward) for the six matrices and 4 · tokens · width for attention.
   * Padding, normalisation and lookups do not count.
   */
  public static double flops(int tokens) {
    double matrices = 2.0 * (4.0 * WIDTH * WIDTH + 2.0 * WIDTH * FEED_FORWARD);
    double attention = 4.0 * tokens * WIDTH;
    return LAYERS * tokens * (matrices + attention);
  }

  /**
   * Runs all entrants on one set of texts.
   *
   * @param tokenCount tokens that the network sees of a text, after the cut
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

  /** Also warms every contender up, on all the texts. */
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
