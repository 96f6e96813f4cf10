package dev.helixbg.insight.similarity;

import java.lang.foreign.Arena;

/**
 * Computes all dot products of strips with the columns that the kernel was made for. Each product
 * is a chain of fused multiply-adds over rising k, starting from 0, so all implementations return
 * the same bits.
 */
interface TileKernel {
  /**
   * Computes {@link PackedVectors#STRIP} × {@link PackedVectors#PANEL} dot products. Kernels need
   * not check their parameters.
   *
   * @param rows the packed vectors, as long as the columns, with the strip at {@code rowStart}
   * @param column the index of the panel's first vector: a multiple of {@link PackedVectors#PANEL}
   *     below the number of columns
   * @param limit the least product that is of interest
   * @param products receives the products, row-major
   * @return whether a product is of interest; for a limit of 0 or less it may be true even if none
   *     is
   */
  boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products);

  /** Makes a kernel for some columns. */
  @FunctionalInterface
  interface Packing {
    /**
     * @param columns the vectors, which are copied into panels
     * @param arena the owner of panels in native memory
     */
    TileKernel pack(Vectors columns, Arena arena);
  }
}
