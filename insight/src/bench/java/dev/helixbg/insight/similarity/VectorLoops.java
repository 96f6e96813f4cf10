package dev.helixbg.insight.similarity;

import static jdk.incubator.vector.VectorOperators.ADD;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops with which a benchmark compares the similarity kernels: one reaches the peak speed of
 * the machine, the other is a simple dot product.
 */
final class VectorLoops {
  static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  /** Number of independent sums in {@link #multiplyAdds}. */
  static final int CHAINS = 12;

  private VectorLoops() {}

  /**
   * Computes {@code steps} × {@link #CHAINS} multiply-adds of vectors in 14 registers. The {@link
   * #CHAINS} independent sums keep two execution units busy, although each multiply-add takes four
   * or five cycles. The sums begin with different values, because C2 would merge equal sums.
   */
  static float multiplyAdds(int steps) {
    FloatVector x = FloatVector.broadcast(SPECIES, 0.5f);
    FloatVector y = FloatVector.broadcast(SPECIES, 0.25f);
    FloatVector a = FloatVector.broadcast(SPECIES, 1);
    FloatVector b = FloatVector.broadcast(SPECIES, 2);
    FloatVector c = FloatVector.broadcast(SPECIES, 3);
    FloatVector d = FloatVector.broadcast(SPECIES, 4);
    FloatVector e = FloatVector.broadcast(SPECIES, 5);
    FloatVector f = FloatVector.broadcast(SPECIES, 6);
    FloatVector g = FloatVector.broadcast(SPECIES, 7);
    FloatVector h = FloatVector.broadcast(SPECIES, 8);
    FloatVector i = FloatVector.broadcast(SPECIES, 9);
    FloatVector j = FloatVector.broadcast(SPECIES, 10);
    FloatVector k = FloatVector.broadcast(SPECIES, 11);
    FloatVector l = FloatVector.broadcast(SPECIES, 12);
    for (int step = 0; step < steps; step++) {
      a = x.fma(y, a);
      b = x.fma(y, b);
      c = x.fma(y, c);
      d = x.fma(y, d);
      e = x.fma(y, e);
      f = x.fma(y, f);
      g = x.fma(y, g);
      h = x.fma(y, h);
      i = x.fma(y, i);
      j = x.fma(y, j);
      k = x.fma(y, k);
      l = x.fma(y, l);
    }
    FloatVector sum = a.add(b).add(c).add(d).add(e).add(f).add(g).add(h).add(i).add(j).add(k);
    return sum.add(l).reduceLanes(ADD);
  }

  /** Returns the dot product of two vectors, computed in four sums by turns. */
  static float dot(float[] values, int a, int b, int dimension) {
    FloatVector s = FloatVector.zero(SPECIES);
    FloatVector t = s, u = s, v = s;
    int lanes = SPECIES.length();
    int k = 0;
    for (; k + 4 * lanes <= dimension; k += 4 * lanes) {
      int x = a + k;
      int y = b + k;
      s = load(values, x).fma(load(values, y), s);
      t = load(values, x + lanes).fma(load(values, y + lanes), t);
      u = load(values, x + 2 * lanes).fma(load(values, y + 2 * lanes), u);
      v = load(values, x + 3 * lanes).fma(load(values, y + 3 * lanes), v);
    }
    float sum = s.add(t).add(u.add(v)).reduceLanes(ADD);
    for (; k < dimension; k++) {
      sum += values[a + k] * values[b + k];
    }
    return sum;
  }

  private static FloatVector load(float[] values, int at) {
    return FloatVector.fromArray(SPECIES, values, at);
  }
}
