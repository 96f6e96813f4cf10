package dev.helixbg.embed.cache;

/** Dot product of two vectors, which is their cosine if both have unit length. */
public final class Cosine {

  private Cosine() {}

  /** Returns the dot product: −1 to 1 for unit vectors; NaN when a value is NaN. */
  public static double of(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }
}
