package dev.helixbg.insight.similarity;

import java.util.List;

/**
 * The middle of some vectors.
 *
 * @param sum of the vectors
 */
public record Middle(double[] sum) {
  /** The middle of vectors of one length; at least one. */
  public static Middle of(List<float[]> vectors) {
    double[] sum = new double[vectors.getFirst().length];
    for (float[] vector : vectors) {
      for (int k = 0; k < sum.length; k++) {
        sum[k] += vector[k];
      }
    }
    return new Middle(sum);
  }

  /** A number that is the larger, the nearer a unit vector is. */
  public double nearness(float[] vector) {
    double dot = 0;
    for (int k = 0; k < sum.length; k++) {
      dot += sum[k] * vector[k];
    }
    return dot;
  }
}
