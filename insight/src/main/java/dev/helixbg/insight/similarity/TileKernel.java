package dev.helixbg.insight.similarity;

import java.lang.foreign.Arena;

/**
 * All dot products of strips with the columns that a kernel was made for. Each is one chain of
 * fused multiply-adds over rising k, starting from 0: so every implementation gives the same bits.
 */
interface TileKernel {
  /**
   * Computes {@link PackedVectors#STRIP} × {@link PackedVectors#PANEL} dot products. Kernels need
   * not check their parameters.
   *
   * @param rows packed vectors, of as many values as the columns, with the strip at {@code
   *     rowStart}
   * @param column index of the panel's first vector: a multiple of {@link PackedVectors#PANEL}
   *     below the number of columns
   * @param limit products of interest are at least this large
   * @param products receives the products, row-major
   * @return false where no product is of interest; for a limit of 0 or less it may be true there,
   *     too
   */
  boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products);

  /** Makes a kernel for some columns. */
  @FunctionalInterface
  interface Packing {
    /**
     * @param columns copied into panels
     * @param arena owns the panels that are in native memory
     */
    TileKernel pack(Vectors columns, Arena arena);
  }
}
