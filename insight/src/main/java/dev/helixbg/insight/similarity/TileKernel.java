package dev.helixbg.insight.similarity;

import java.lang.foreign.Arena;

/**
 * Computes all dot products of strips with the columns that the kernel was made for. Each product
 * is a chain of fused multiply-adds in the order of the values, so all kernels give the same bits.
 */
interface TileKernel {
  /**
   * Computes {@link PackedVectors#STRIP} × {@link PackedVectors#PANEL} products, without checks.
   *
   * @param rows strips of vectors with the dimension of the columns; the strip to multiply begins
   *     at {@code rowStart}
   * @param column index of the panel's first vector: a multiple of {@link PackedVectors#PANEL}
   * @param products receives the products, row-major
   * @return whether a product reaches the limit; for a limit of 0 or less, the result may be true
   *     although no product reaches it
   */
  boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products);

  /** Copies columns into panels; the arena owns panels in native memory. */
  @FunctionalInterface
  interface Packing {
    TileKernel pack(Vectors columns, Arena arena);
  }
}
