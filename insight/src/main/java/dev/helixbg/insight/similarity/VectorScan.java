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
   * Makes a scan for a single comparison, which reads the vectors without packing them. For a
   * single comparison, packing the vectors and compiling a vector kernel would take longer than
   * computing all products. The products are bit-identical to those of {@link #packed}.
   *
   * @param sets sets of vectors; the vectors of all sets are numbered together
   */
  static VectorScan once(List<Vectors> sets) {
    return (rows, sink) -> {
      int before = 0;
      for (Vectors vectors : sets) {
        for (int row = 0; row < rows.size(); row++) {
          float[] products = new float[vectors.count()];
          vectors.products(rows.get(row), 0, 0, products.length, products);
          for (int i = 0; i < products.length; i++) {
            sink.accept(row, before + i, products[i]);
          }
        }
        before += vectors.count();
      }
    };
  }
}
