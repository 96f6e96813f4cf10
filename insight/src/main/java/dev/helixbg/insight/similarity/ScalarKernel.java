package dev.helixbg.insight.similarity;

import static dev.helixbg.insight.similarity.PackedVectors.PANEL;
import static dev.helixbg.insight.similarity.PackedVectors.STRIP;

/**
 * Computes dot products in scalar code, which every compiler of the JVM compiles well. Tests
 * compare vector kernels with it.
 *
 * <p>The kernel runs only if {@link CodeKernel} cannot run. It then runs if there are fewer than 20
 * million pairs, or if {@link VectorKernel} cannot run. Its panels are on the heap, which
 * interpreted code reads faster.
 */
record ScalarKernel(float[] panels, int dimension) implements TileKernel {
  private static final int ROWS = 3;
  private static final int COLUMNS = 4;

  ScalarKernel(Vectors columns) {
    this(PackedVectors.panels(columns), columns.dimension());
  }

  @Override
  public boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products) {
    int panelStart = column * dimension;
    for (int r = 0; r < STRIP; r += ROWS) {
      for (int c = 0; c < PANEL; c += COLUMNS) {
        multiplyPart(rows, rowStart + r, panelStart + c, products, r * PANEL + c);
      }
    }
    for (float product : products) {
      if (product >= limit) {
        return true;
      }
    }
    return false;
  }

  /** Computes twelve sums at once, because each step of one sum waits for the previous step. */
  private void multiplyPart(
      float[] rows, int rowStart, int partStart, float[] products, int productStart) {
    float s00 = 0, s01 = 0, s02 = 0, s03 = 0;
    float s10 = 0, s11 = 0, s12 = 0, s13 = 0;
    float s20 = 0, s21 = 0, s22 = 0, s23 = 0;
    for (int k = 0; k < dimension; k++) {
      int column = partStart + k * PANEL;
      float c0 = panels[column];
      float c1 = panels[column + 1];
      float c2 = panels[column + 2];
      float c3 = panels[column + 3];
      int row = rowStart + k * STRIP;
      float r = rows[row];
      s00 = Math.fma(r, c0, s00);
      s01 = Math.fma(r, c1, s01);
      s02 = Math.fma(r, c2, s02);
      s03 = Math.fma(r, c3, s03);
      r = rows[row + 1];
      s10 = Math.fma(r, c0, s10);
      s11 = Math.fma(r, c1, s11);
      s12 = Math.fma(r, c2, s12);
      s13 = Math.fma(r, c3, s13);
      r = rows[row + 2];
      s20 = Math.fma(r, c0, s20);
      s21 = Math.fma(r, c1, s21);
      s22 = Math.fma(r, c2, s22);
      s23 = Math.fma(r, c3, s23);
    }
    store(products, productStart, s00, s01, s02, s03);
    store(products, productStart + PANEL, s10, s11, s12, s13);
    store(products, productStart + 2 * PANEL, s20, s21, s22, s23);
  }

  private static void store(float[] products, int at, float a, float b, float c, float d) {
    products[at] = a;
    products[at + 1] = b;
    products[at + 2] = c;
    products[at + 3] = d;
  }
}
