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
 * Measures the time to compute the list of relations for a KB of random vectors and random words.
 * The words are as frequent as in natural languages (Zipf's law).
 */
public final class RelationsCost {
  private static final int DIMENSION = 384;
  private static final int WORDS_PER_ENTRY = 60;
  private static final int TOPICS = 80;

  /**
   * Times in seconds.
   *
   * @param pairs time to compare all pairs, and report those with a similarity of at least 0.75
   * @param nearest time to compare all pairs, and keep the ten nearest neighbours of each entry
   * @param oneMore time to update the nearest neighbours after one entry was added
   * @param ranking time to compute the terms of all entries, the ten nearest neighbours by terms,
   *     and the list
   */
  public record Cost(
      int entries, int threads, double pairs, double nearest, double oneMore, double ranking) {}

  private RelationsCost() {}

  /**
   * Measures the times.
   *
   * @param count number of entries, at least 2
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
      // 1/u of a uniform random number u has the distribution of ranks in Zipf's law.
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
