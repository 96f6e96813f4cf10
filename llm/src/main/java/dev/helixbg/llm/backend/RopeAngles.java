package dev.helixbg.llm.backend;

import java.util.Arrays;

/**
 * Rotation of heads: pair i turns by {@code position · base^(−2i / headSize)} radians.
 *
 * @param headSize number of values of a head; even
 */
public record RopeAngles(int headSize, double base) {
  /** Returns the radians by which each pair turns from one position to the next. */
  public double[] turns() {
    double[] turns = new double[headSize / 2];
    Arrays.setAll(turns, pair -> Math.pow(base, -pair / (double) turns.length));
    return turns;
  }
}
