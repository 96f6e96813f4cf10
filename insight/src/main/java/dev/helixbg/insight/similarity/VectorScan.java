package dev.helixbg.insight.similarity;

import dev.helixbg.insight.similarity.AllPairs.PairSink;
import java.util.List;

/** Vectors with which a few other vectors are compared, once or many times. */
public interface VectorScan extends AutoCloseable {
  /** Compares rows with all vectors. The sink receives each product. */
  void compare(List<float[]> rows, PairSink sink);

  @Override
  default void close() {}

  /**
   * Makes a scan for many comparisons. It first packs the vectors for the fastest kernel.
   *
   * @param sets sets of vectors; the vectors of all sets are numbered together
   */
  static VectorScan packed(List<Vectors> sets) {
    PackedVectors packed = PackedVectors.pack(Vectors.joined(sets));
    return new VectorScan() {
      @Override
      public void compare(List<float[]> rows, PairSink sink) {
        try (PackedVectors asked = PackedVectors.pack(Vectors.of(rows))) {
          AllPairs.between(asked, packed, Float.NEGATIVE_INFINITY, 1, () -> sink);
        }
      }

      @Override
      public void close() {
        packed.close();
      }
    };
  }

  /**
   * Makes a scan for a single comparison, which reads the vectors without packing them. Packing,
   * and compiling a vector kernel, would take longer than all products. The products are
   * bit-identical to those of {@link #packed}. Four chains of fused multiply-adds, in rising order
   * of index, run in parallel.
   *
   * @param sets sets of vectors; the vectors of all sets are numbered together
   */
  static VectorScan once(List<Vectors> sets) {
    return (rows, sink) -> {
      int before = 0;
      for (Vectors vectors : sets) {
        for (int row = 0; row < rows.size(); row++) {
          compareOne(row, rows.get(row), vectors, before, sink);
        }
        before += vectors.count();
      }
    };
  }

  private static void compareOne(
      int number, float[] row, Vectors vectors, int before, PairSink sink) {
    float[] values = vectors.values();
    int dimension = vectors.dimension();
    float[] products = new float[4];
    for (int first = 0; first < vectors.count(); first += 4) {
      int side = Math.min(4, vectors.count() - first);
      // If fewer than four vectors remain, the last vector is repeated.
      int at0 = first * dimension;
      int at1 = (first + Math.min(1, side - 1)) * dimension;
      int at2 = (first + Math.min(2, side - 1)) * dimension;
      int at3 = (first + side - 1) * dimension;
      multiply(row, values, at0, at1, at2, at3, products);
      for (int i = 0; i < side; i++) {
        sink.accept(number, before + first + i, products[i]);
      }
    }
  }

  private static void multiply(
      float[] row, float[] values, int at0, int at1, int at2, int at3, float[] products) {
    float s0 = 0;
    float s1 = 0;
    float s2 = 0;
    float s3 = 0;
    for (int k = 0; k < row.length; k++) {
      float r = row[k];
      s0 = Math.fma(r, values[at0 + k], s0);
      s1 = Math.fma(r, values[at1 + k], s1);
      s2 = Math.fma(r, values[at2 + k], s2);
      s3 = Math.fma(r, values[at3 + k], s3);
    }
    products[0] = s0;
    products[1] = s1;
    products[2] = s2;
    products[3] = s3;
  }
}
