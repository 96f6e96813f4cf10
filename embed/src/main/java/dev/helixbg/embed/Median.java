package dev.helixbg.embed;

import java.util.Arrays;

/** What of several timings counts: a few that something else disturbed change nothing. */
public final class Median {
  private Median() {}

  /** Of at least one value; of an even number, the mean of the two in the middle. */
  public static double of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }
}
