package dev.helixbg.embed.cache;

/** Dot product of two vectors, which is their cosine if both have unit length. */
public final class Cosine {

  private Cosine() {}

  public static double of(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }
}
