package dev.helixbg.embed;

/** Similarity of two vectors of unit length; of others, their dot product. */
public final class Cosine {

  private Cosine() {}

  /** −1 to 1 for unit vectors; NaN when a value is. */
  public static double of(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }
}
