package dev.helixbg.llm.backend;

import java.util.Arrays;

/**
 * How heads are rotated: pair i of a head turns by {@code position · turns[i]} radians.
 *
 * @param turns half as many as a head has values
 */
public record RopeAngles(double[] turns) {

  /**
   * Pair i turns by base^(−2i / headSize).
   *
   * @param headSize even
   */
  public static RopeAngles of(int headSize, double base) {
    double[] turns = new double[headSize / 2];
    Arrays.setAll(turns, pair -> Math.pow(base, -pair / (double) turns.length));
    return new RopeAngles(turns);
  }

  /** Values of a head. */
  public int headSize() {
    return 2 * turns.length;
  }
}
