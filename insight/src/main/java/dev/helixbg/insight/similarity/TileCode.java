package dev.helixbg.insight.similarity;

import static dev.helixbg.insight.similarity.PackedVectors.PANEL;
import static dev.helixbg.insight.similarity.PackedVectors.STRIP;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;

/**
 * Writes a function {@code float(strip, panel, products, dimension)} in machine code. It multiplies
 * a strip by a panel, and returns the largest product, or 0 if all products are below 0.
 *
 * <p>The sums for several rows, each with two vector registers of columns, stay in registers: with
 * 256 bits, six rows in 12 of 16 registers; with 512 bits, 12 rows in 24 of 32 registers.
 *
 * @param vector size of a vector in bytes
 * @param rows number of rows that are computed at once
 */
record TileCode(int vector, int rows, AvxAssembler code) {
  private static final Register STRIP_START = Register.RDI;
  private static final Register PANEL_START = Register.RSI;
  private static final Register PRODUCTS = Register.RDX;
  private static final Register DIMENSION = Register.RCX;
  private static final Register ROWS_AT = Register.R8;
  private static final Register COLUMNS_AT = Register.R9;
  private static final Register LEFT = Register.RAX;

  /** Register of the largest product; register 0 also holds the function's result. */
  private static final int LARGEST = 0;

  private static final int ROW = 1;
  private static final int A = 2;
  private static final int B = 3;
  private static final int SUMS = 4;

  /** Writes code with vectors of 256 or 512 bits; 512 bits require AVX-512F. */
  static byte[] write(int bits) {
    return new TileCode(bits / Byte.SIZE, bits == 512 ? 12 : 6, new AvxAssembler(bits)).write();
  }

  private byte[] write() {
    code.clear(LARGEST);
    for (int column = 0; column < PANEL; column += 2 * vector / Float.BYTES) {
      for (int row = 0; row < STRIP; row += rows) {
        part(row, column);
      }
    }
    code.combineLanes(Op.MAXIMUM, LARGEST, ROW);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  /** Returns the register with a row's sums for the first or second vector register of columns. */
  private static int sum(int row, int half) {
    return SUMS + 2 * row + half;
  }

  private void part(int firstRow, int firstColumn) {
    for (int row = 0; row < rows; row++) {
      code.clear(sum(row, 0));
      code.clear(sum(row, 1));
    }
    code.copy(STRIP_START, ROWS_AT);
    code.copy(PANEL_START, COLUMNS_AT);
    code.copy(DIMENSION, LEFT);
    int loop = code.label();
    code.load(A, COLUMNS_AT, firstColumn * Float.BYTES);
    code.load(B, COLUMNS_AT, firstColumn * Float.BYTES + vector);
    for (int row = 0; row < rows; row++) {
      code.broadcast(ROW, ROWS_AT, (firstRow + row) * Float.BYTES);
      code.emit(Op.MULTIPLY_ADD, ROW, A, sum(row, 0));
      code.emit(Op.MULTIPLY_ADD, ROW, B, sum(row, 1));
    }
    code.add(ROWS_AT, STRIP * Float.BYTES);
    code.add(COLUMNS_AT, PANEL * Float.BYTES);
    code.loop(LEFT, loop);
    for (int row = 0; row < rows; row++) {
      int to = ((firstRow + row) * PANEL + firstColumn) * Float.BYTES;
      for (int half = 0; half < 2; half++) {
        code.store(sum(row, half), PRODUCTS, to + half * vector);
        code.emit(Op.MAXIMUM, sum(row, half), LARGEST);
      }
    }
  }
}
