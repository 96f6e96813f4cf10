package dev.helixbg.insight.similarity;

/**
 * Vectors of one length, one after the other.
 *
 * @param count number of vectors; may be 0
 * @param dimension length of each; at least 1
 * @param values count × dimension, row-major, all finite; neither copied nor to be changed
 */
public record Vectors(int count, int dimension, float[] values) {

  /**
   * @throws IllegalArgumentException when {@code values} is not count × dimension long
   */
  public Vectors {
    if (count < 0 || dimension < 1 || (long) count * dimension != values.length) {
      throw new IllegalArgumentException(
          "%d vectors of %d values need %d values, not %d"
              .formatted(count, dimension, (long) count * dimension, values.length));
    }
  }

  /** Copies the vectors at {@code rows}, in that order. */
  public Vectors select(int[] rows) {
    float[] selected = new float[Math.multiplyExact(rows.length, dimension)];
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(values, rows[i] * dimension, selected, i * dimension, dimension);
    }
    return new Vectors(rows.length, dimension, selected);
  }
}
