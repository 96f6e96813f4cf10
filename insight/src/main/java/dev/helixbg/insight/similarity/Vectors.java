package dev.helixbg.insight.similarity;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;

/**
 * Vectors of equal length in one array.
 *
 * @param dimension at least 1
 * @param values count × dimension finite values, row-major; the array must not change
 */
public record Vectors(int count, int dimension, float[] values) {

  public Vectors {
    if (count < 0 || dimension < 1 || (long) count * dimension != values.length) {
      throw new IllegalArgumentException(
          "%d vectors of %d values need %d values, not %d"
              .formatted(count, dimension, (long) count * dimension, values.length));
    }
  }

  /** Copies vectors of equal length. */
  public static Vectors of(List<float[]> rows) {
    int dimension = rows.isEmpty() ? 1 : rows.getFirst().length;
    float[] values = new float[Math.multiplyExact(rows.size(), dimension)];
    for (int i = 0; i < rows.size(); i++) {
      System.arraycopy(rows.get(i), 0, values, i * dimension, dimension);
    }
    return new Vectors(rows.size(), dimension, values);
  }

  /** Joins sets of vectors of equal length, in order. If only one has vectors, returns that set. */
  public static Vectors joined(List<Vectors> sets) {
    List<Vectors> filled = sets.stream().filter(set -> set.count > 0).toList();
    if (filled.size() == 1) {
      return filled.getFirst();
    }
    int dimension = filled.isEmpty() ? 1 : filled.getFirst().dimension;
    int count = filled.stream().mapToInt(Vectors::count).reduce(0, Math::addExact);
    float[] values = new float[Math.multiplyExact(count, dimension)];
    int at = 0;
    for (Vectors set : filled) {
      System.arraycopy(set.values, 0, values, at, set.values.length);
      at += set.values.length;
    }
    return new Vectors(count, dimension, values);
  }

  /**
   * Computes the products of a row with consecutive vectors, with the same bits as the kernels.
   * Four sums at a time take as long as one, because an addition waits only for its own sum.
   *
   * @param row array that contains the row, from index {@code at} on
   * @param from index of the first vector
   */
  public void products(float[] row, int at, int from, int count, float[] products) {
    int last = count - 1;
    for (int i = 0; i < count; i += 4) {
      // If fewer than four vectors remain, the last vector is repeated.
      int one = Math.min(i + 1, last);
      int two = Math.min(i + 2, last);
      int three = Math.min(i + 3, last);
      int at0 = (from + i) * dimension;
      int at1 = (from + one) * dimension;
      int at2 = (from + two) * dimension;
      int at3 = (from + three) * dimension;
      float s0 = 0;
      float s1 = 0;
      float s2 = 0;
      float s3 = 0;
      for (int k = 0; k < dimension; k++) {
        float r = row[at + k];
        s0 = Math.fma(r, values[at0 + k], s0);
        s1 = Math.fma(r, values[at1 + k], s1);
        s2 = Math.fma(r, values[at2 + k], s2);
        s3 = Math.fma(r, values[at3 + k], s3);
      }
      products[i] = s0;
      products[one] = s1;
      products[two] = s2;
      products[three] = s3;
    }
  }

  public float[] row(int index) {
    return Arrays.copyOfRange(values, index * dimension, (index + 1) * dimension);
  }

  /** Returns a list that copies a vector at each access. */
  public List<float[]> rows() {
    return new AbstractList<>() {
      @Override
      public float[] get(int index) {
        return row(index);
      }

      @Override
      public int size() {
        return count;
      }
    };
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
