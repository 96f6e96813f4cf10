package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Measures what the list of relations costs on a KB of random vectors and of words as frequent as
 * in any language (Zipf's law).
 */
public final class RelationsCost {
  private static final int DIMENSION = 384;
  private static final int WORDS_PER_ENTRY = 60;
  private static final int TOPICS = 80;

  /**
   * In seconds.
   *
   * @param pairs all pairs compared, only those kept that are as similar as a finding must be
   * @param nearest all pairs compared, the ten nearest of each entry kept
   * @param oneMore the same after one entry was added
   * @param ranking the terms of all entries, their ten nearest by these, and the list
   */
  public record Cost(
      int entries, int threads, double pairs, double nearest, double oneMore, double ranking) {}

  private RelationsCost() {}

  /**
   * @param count entries, at least 2
   */
  public static Cost of(int count, int threads) {
    List<NamedEntry> named = new ArrayList<>();
    Random random = new Random(65);
    for (int i = 0; i < count; i++) {
      named.add(new NamedEntry(entry(i, random), i / TOPICS, "%032x".formatted(i), false));
    }
    Vectors vectors = vectors(count, random);
    int[] order = IntStream.range(0, count).toArray();
    double[] seconds = new double[4];
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      long start = System.nanoTime();
      AllPairs.among(packed, 0.75f, threads, (a, b, similarity) -> {});
      seconds[0] = since(start);
      start = System.nanoTime();
      ComparedVectors texts =
          ComparedVectors.of(vectors, PassageVectors.NONE, ComparedVectors.MAX_PASSAGES);
      NearestNeighbours.Both nearest = NearestNeighbours.Both.empty(texts, order);
      AllPairs.among(packed, Float.NEGATIVE_INFINITY, threads, nearest);
      seconds[1] = since(start);
      int[] nowAt = IntStream.range(0, count).map(i -> i < count - 1 ? i : -1).toArray();
      start = System.nanoTime();
      nearest.updated(order, nowAt, texts, packed, threads);
      seconds[2] = since(start);
      start = System.nanoTime();
      new RankedRelations(named, texts, nearest, ExactCopies.of(named), order, threads)
          .best(2 * Findings.listedRelations(count), new FindingIds());
      seconds[3] = since(start);
    }
    return new Cost(count, threads, seconds[0], seconds[1], seconds[2], seconds[3]);
  }

  private static double since(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static Entry entry(int i, Random random) {
    StringBuilder text = new StringBuilder();
    for (int w = 0; w < WORDS_PER_ENTRY; w++) {
      // The inverse of a uniform number is distributed as Zipf's ranks are.
      long rank = Math.min(1_000_000, (long) (1 / (random.nextDouble() + 1e-6)));
      text.append("w").append(Long.toString(rank * 7919 + random.nextInt(10), 36)).append(' ');
    }
    String content = text.toString();
    return new Entry(i + 8L, "t" + i % TOPICS, content, i + 1, EntryText.parse(content));
  }

  private static Vectors vectors(int count, Random random) {
    float[] values = new float[Math.multiplyExact(count, DIMENSION)];
    for (int i = 0; i < count; i++) {
      double squares = 0;
      for (int k = 0; k < DIMENSION; k++) {
        float value = (float) random.nextGaussian();
        values[i * DIMENSION + k] = value;
        squares += value * value;
      }
      float scale = (float) (1 / Math.sqrt(squares));
      for (int k = i * DIMENSION; k < (i + 1) * DIMENSION; k++) {
        values[k] *= scale;
      }
    }
    return new Vectors(count, DIMENSION, values);
  }
}
