package dev.helixbg.insight.similarity;

import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.embed.SpeedTrial.Median;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * Measures how fast {@link AllPairs} compares all pairs of many vectors. The same run measures two
 * other speeds for comparison: a simple loop over pairs, and the machine's peak in multiply-adds.
 * Before the measurement, the products of some vectors must have exactly the right bits.
 */
public final class SimilarityBench {
  /** Number of values of a vector of all-MiniLM-L6-v2. */
  private static final int DIMENSION = 384;

  /** Minimum similarity of a pair that counts as a hit. */
  private static final float LIMIT = 0.75f;

  /** Interval between the vectors that are made similar to an earlier vector. */
  private static final int PLANTED_EVERY = 100;

  /** Number of rows whose products are compared with a chain of Math.fma. */
  private static final int CHECKED_ROWS = 64;

  /** Number of pairs in the simple loop, which takes about a tenth of a second. */
  private static final long PLAIN_PAIRS = 10_000_000;

  private static final int PEAK_RUNS = 8;
  private static final int PEAK_STEPS = 5_000_000;

  private static final boolean VECTOR_API = PackedVectors.vectorApi();

  private SimilarityBench() {}

  /**
   * The machine's peak speed with a number of threads.
   *
   * @param gflops 10⁹ operations per second, measured with fused multiply-adds in registers, which
   *     count as two operations; empty without the Vector API
   */
  public record Peak(int threads, OptionalDouble gflops) {
    private static Peak of(int threads, double gflops) {
      return new Peak(threads, VECTOR_API ? OptionalDouble.of(gflops) : OptionalDouble.empty());
    }
  }

  /**
   * Result of comparing all pairs of a number of vectors with a number of threads.
   *
   * @param nanosPerPair nanoseconds per pair, median over the rounds
   * @param gflops 10⁹ operations per second; each pair needs two operations per value
   * @param shareOfPeak share of {@link Peak#gflops} with the same number of threads, 0 to 1
   * @param hits number of pairs whose similarity reaches {@link #LIMIT}
   * @param pairByPairNanos nanoseconds per pair of the simple loop, as a median, with the same
   *     number of threads
   */
  public record Result(
      int vectors,
      int threads,
      double nanosPerPair,
      double gflops,
      OptionalDouble shareOfPeak,
      long hits,
      double pairByPairNanos) {}

  /** A {@link Result} before the peak is known. */
  private record Timing(
      int vectors, int threads, double nanosPerPair, long hits, double pairByPairNanos) {

    Result besides(Peak peak) {
      double gflops = 2 * DIMENSION / nanosPerPair;
      OptionalDouble share =
          peak.gflops().isPresent()
              ? OptionalDouble.of(gflops / peak.gflops().getAsDouble())
              : OptionalDouble.empty();
      return new Result(vectors, threads, nanosPerPair, gflops, share, hits, pairByPairNanos);
    }
  }

  /**
   * All results of a run.
   *
   * @param registerBits size of the Vector API's vectors in bits; 0 without the Vector API
   */
  public record Report(int registerBits, List<Peak> peaks, List<Result> results) {}

  /**
   * Runs the benchmark.
   *
   * @param sizes numbers of vectors, such as 20,000 and 50,000
   * @param threads numbers of threads, such as 1 and 2
   * @param rounds number of timed rounds per size and number of threads; one more round comes first
   *     and is not timed
   * @throws IllegalStateException when a result is wrong
   */
  public static Report run(int[] sizes, int[] threads, int rounds) {
    double[] peaks = new double[threads.length];
    List<Timing> timings = new ArrayList<>();
    for (int size : sizes) {
      Vectors vectors = planted(size);
      try (PackedVectors packed =
          PackedVectors.pack(vectors, PackedVectors.forPairs(Long.MAX_VALUE))) {
        check(vectors, packed);
        for (int i = 0; i < threads.length; i++) {
          // Other work of the machine can only lower the peak, so it is measured for each size, and
          // the highest value counts.
          peaks[i] = Math.max(peaks[i], peakGflops(threads[i]));
          timings.add(measure(vectors, packed, threads[i], rounds));
        }
      }
    }
    List<Peak> best =
        IntStream.range(0, threads.length).mapToObj(i -> Peak.of(threads[i], peaks[i])).toList();
    List<Result> results =
        IntStream.range(0, timings.size())
            .mapToObj(i -> timings.get(i).besides(best.get(i % threads.length)))
            .toList();
    return new Report(registerBits(), best, results);
  }

  private static int registerBits() {
    return PackedVectors.vectorApi() ? VectorLoops.SPECIES.vectorBitSize() : 0;
  }

  /**
   * Returns random unit vectors with a fixed seed. Some are similar to an earlier vector; all
   * others have a random direction.
   */
  static Vectors planted(int count) {
    Random random = new Random(count);
    float[] values = new float[Math.multiplyExact(count, DIMENSION)];
    for (int vector = 0; vector < count; vector++) {
      int start = vector * DIMENSION;
      boolean near = vector > 0 && vector % PLANTED_EVERY == 0;
      int other = near ? random.nextInt(vector) * DIMENSION : 0;
      double noise = near ? random.nextDouble(0.9) / Math.sqrt(DIMENSION) : 1;
      double squares = 0;
      for (int k = 0; k < DIMENSION; k++) {
        double value = (near ? values[other + k] : 0) + noise * random.nextGaussian();
        values[start + k] = (float) value;
        squares += value * value;
      }
      for (int k = 0; k < DIMENSION; k++) {
        values[start + k] /= (float) Math.sqrt(squares);
      }
    }
    return new Vectors(count, DIMENSION, values);
  }

  static void check(Vectors vectors, PackedVectors packed) {
    int rows = Math.min(CHECKED_ROWS, vectors.count());
    int[] chosen = new Random(1).ints(rows, 0, Math.max(1, vectors.count())).toArray();
    Map<Long, Float> all = new ConcurrentSkipListMap<>();
    try (PackedVectors some = PackedVectors.pack(vectors.select(chosen))) {
      AllPairs.between(
          some,
          packed,
          LIMIT,
          2,
          (row, column, similarity) -> all.put((long) row << 32 | column, similarity));
    }
    TreeMap<Long, Float> expected = new TreeMap<>();
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < vectors.count(); column++) {
        float product = chain(vectors, chosen[row], column);
        if (product >= LIMIT) {
          expected.put((long) row << 32 | column, product);
        }
      }
    }
    if (!all.equals(expected)) {
      throw new IllegalStateException(
          "The similarity kernel is wrong on this machine: %d hits instead of %d, or other values"
              .formatted(all.size(), expected.size()));
    }
  }

  private static float chain(Vectors vectors, int row, int column) {
    float[] values = vectors.values();
    float sum = 0;
    for (int k = 0; k < DIMENSION; k++) {
      sum = Math.fma(values[row * DIMENSION + k], values[column * DIMENSION + k], sum);
    }
    return sum;
  }

  private static Timing measure(Vectors vectors, PackedVectors packed, int threads, int rounds) {
    double pairs = vectors.count() * (vectors.count() - 1.0) / 2;
    int plainRows = (int) Math.clamp(PLAIN_PAIRS / vectors.count(), 1, vectors.count());
    double[] blocked = new double[rounds];
    double[] plain = new double[rounds];
    long hits = 0;
    for (int round = -1; round < rounds; round++) {
      long start = System.nanoTime();
      LongAdder count = new LongAdder();
      AllPairs.among(packed, LIMIT, threads, (row, column, similarity) -> count.increment());
      hits = count.sum();
      long middle = System.nanoTime();
      pairByPair(vectors, plainRows, threads);
      long end = System.nanoTime();
      if (round >= 0) {
        blocked[round] = (middle - start) / pairs;
        plain[round] = (end - middle) / ((double) plainRows * vectors.count());
      }
    }
    return new Timing(vectors.count(), threads, Median.of(blocked), hits, Median.of(plain));
  }

  /** Runs the simplest loop: it compares some rows with all columns, one dot product at a time. */
  private static void pairByPair(Vectors vectors, int rows, int threads) {
    List<PairByPair> loops = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int from = (int) ((long) rows * i / threads);
      int to = (int) ((long) rows * (i + 1) / threads);
      loops.add(new PairByPair(vectors, from, to));
    }
    ParallelLoop.runToTheEnd("pair-by-pair", threads, threads, i -> loops.get(i).run());
    long hits = loops.stream().mapToLong(loop -> loop.hits).sum();
    if (hits < rows) {
      throw new IllegalStateException("A unit vector is not similar to itself");
    }
  }

  private static float dot(float[] values, int a, int b) {
    if (VECTOR_API) {
      return VectorLoops.dot(values, a, b, DIMENSION);
    }
    float sum = 0;
    for (int k = 0; k < DIMENSION; k++) {
      sum += values[a + k] * values[b + k];
    }
    return sum;
  }

  /**
   * Returns the highest speed of several short runs, in 10⁹ operations per second; other work of
   * the machine can only slow a run. Returns 0 without the Vector API.
   */
  private static double peakGflops(int threads) {
    if (!VECTOR_API) {
      return 0;
    }
    double best = 0;
    for (int run = 0; run < PEAK_RUNS; run++) {
      List<Peaks> jobs = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        jobs.add(new Peaks());
      }
      long start = System.nanoTime();
      ParallelLoop.runToTheEnd("peak", threads, threads, i -> jobs.get(i).run());
      double nanos = System.nanoTime() - start;
      double multiplyAdds =
          (double) threads * PEAK_STEPS * VectorLoops.CHAINS * VectorLoops.SPECIES.length();
      best = Math.max(best, 2 * multiplyAdds / nanos);
    }
    return best;
  }

  /** Runs multiply-adds and stores the result, because C2 removes work whose result is not used. */
  private static final class Peaks implements Runnable {
    private volatile float result;

    @Override
    public void run() {
      result = VectorLoops.multiplyAdds(PEAK_STEPS);
    }
  }

  private static final class PairByPair implements Runnable {
    private final Vectors vectors;
    private final int from;
    private final int to;
    private long hits;

    PairByPair(Vectors vectors, int from, int to) {
      this.vectors = vectors;
      this.from = from;
      this.to = to;
    }

    @Override
    public void run() {
      for (int row = from; row < to; row++) {
        for (int column = 0; column < vectors.count(); column++) {
          if (dot(vectors.values(), row * DIMENSION, column * DIMENSION) >= LIMIT) {
            hits++;
          }
        }
      }
    }
  }
}
