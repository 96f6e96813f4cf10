package dev.helixbg.llm.bench;

import java.util.concurrent.atomic.AtomicInteger;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Measures the speed of fused multiply-adds of floats that are in registers. Matrix products of
 * floats cannot be faster.
 */
final class MultiplyAddCeiling {
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;

  /**
   * Number of independent sums: enough for two multiply-add units with a latency of four cycles.
   */
  private static final int SUMS = 10;

  private static final int STEPS = 2_000_000;
  private static final int ROUNDS = 2;

  private MultiplyAddCeiling() {}

  /** Returns the speed of all threads in the fastest of several rounds, in 10⁹ multiply-adds/s. */
  static double billionsPerSecond(int threads) {
    AtomicInteger sink = new AtomicInteger();
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long nanos =
          TimedThreads.nanos(
              threads, member -> sink.addAndGet(Float.floatToRawIntBits(multiplyAdds(STEPS))));
      best = Math.max(best, (double) threads * STEPS * SUMS * FLOATS.length() / nanos);
    }
    return best;
  }

  private static float multiplyAdds(int steps) {
    FloatVector factor = FloatVector.broadcast(FLOATS, 0.5f);
    FloatVector one = FloatVector.broadcast(FLOATS, 1);
    FloatVector a = one;
    FloatVector b = one.add(1);
    FloatVector c = one.add(2);
    FloatVector d = one.add(3);
    FloatVector e = one.add(4);
    FloatVector f = one.add(5);
    FloatVector g = one.add(6);
    FloatVector h = one.add(7);
    FloatVector i = one.add(8);
    FloatVector j = one.add(9);
    for (int step = 0; step < steps; step++) {
      a = factor.fma(a, one);
      b = factor.fma(b, one);
      c = factor.fma(c, one);
      d = factor.fma(d, one);
      e = factor.fma(e, one);
      f = factor.fma(f, one);
      g = factor.fma(g, one);
      h = factor.fma(h, one);
      i = factor.fma(i, one);
      j = factor.fma(j, one);
    }
    return a.add(b).add(c).add(d).add(e).add(f.add(g).add(h).add(i).add(j)).lane(0);
  }
}
