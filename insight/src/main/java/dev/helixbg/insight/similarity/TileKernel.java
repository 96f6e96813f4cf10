package dev.helixbg.insight.similarity;

import java.lang.foreign.Arena;

/**
 * Computes all dot products of strips with the columns that the kernel was made for. Each product
 * is a chain of fused multiply-adds over the values in their order, starting from 0, so all
 * implementations return the same bits.
 */
interface TileKernel {
  /**
   * Computes {@link PackedVectors#STRIP} × {@link PackedVectors#PANEL} dot products. A kernel need
   * not check the parameters.
   *
   * @param rows strips of vectors, each with as many values as a column; the strip to multiply
   *     begins at {@code rowStart}
   * @param column index of the panel's first vector: a multiple of {@link PackedVectors#PANEL}
   * @param products receives the products, row-major
   * @return whether a product reaches the limit; for a limit of 0 or less, the result may be true
   *     although no product reaches the limit
   */
  boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products);

  /** Copies columns into panels; the arena owns panels in native memory. */
  @FunctionalInterface
  interface Packing {
    TileKernel pack(Vectors columns, Arena arena);
  }
}
