package dev.helixbg.llm.backend;

import java.util.Arrays;

/**
 * Rotation of heads: pair i of a head turns by {@code position · turns[i]} radians and is
 * multiplied by the magnitude.
 *
 * @param turns one value per pair: half the size of a head
 */
public record RopeAngles(double[] turns, double magnitude) {

  /**
   * Returns angles without scaling: pair i turns by base^(−2i / headSize) per position.
   *
   * @param headSize number of values of a head; even
   */
  public static RopeAngles of(int headSize, double base) {
    double[] turns = new double[headSize / 2];
    Arrays.setAll(turns, pair -> Math.pow(base, -pair / (double) turns.length));
    return new RopeAngles(turns, 1);
  }

  /** Returns the number of values of a head. */
  public int headSize() {
    return 2 * turns.length;
  }
}
