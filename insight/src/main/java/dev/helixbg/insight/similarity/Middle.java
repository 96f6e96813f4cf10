package dev.helixbg.insight.similarity;

import java.util.List;

/** The mean direction of several vectors, stored as their sum. */
public record Middle(double[] sum) {
  /** Returns the mean direction of one or more vectors of equal length. */
  public static Middle of(List<float[]> vectors) {
    double[] sum = new double[vectors.getFirst().length];
    for (float[] vector : vectors) {
      for (int k = 0; k < sum.length; k++) {
        sum[k] += vector[k];
      }
    }
    return new Middle(sum);
  }

  /** Returns a number that grows with the cosine between a unit vector and the mean direction. */
  public double nearness(float[] vector) {
    double dot = 0;
    for (int k = 0; k < sum.length; k++) {
      dot += sum[k] * vector[k];
    }
    return dot;
  }
}
