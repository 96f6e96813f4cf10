package dev.helixbg.insight.similarity;

import static dev.helixbg.insight.similarity.PackedVectors.PANEL;
import static dev.helixbg.insight.similarity.PackedVectors.STRIP;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;

/**
 * Writes the machine code that multiplies a strip by a panel in vectors of 256 bits: {@code
 * float(strip, panel, products, dimension)}. The code returns the largest product, or 0 if all
 * products are below 0.
 *
 * <p>Twelve of the 16 registers hold the sums of six rows and two vectors of columns, so that no
 * sum has to be moved to memory.
 */
final class TileCode {
  private static final Register STRIP_START = Register.RDI;
  private static final Register PANEL_START = Register.RSI;
  private static final Register PRODUCTS = Register.RDX;
  private static final Register DIMENSION = Register.RCX;
  private static final Register ROWS_AT = Register.R8;
  private static final Register COLUMNS_AT = Register.R9;
  private static final Register LEFT = Register.RAX;

  private static final int BITS = 256;
  private static final int VECTOR = BITS / 8; // bytes

  /** Number of rows that are computed at once. */
  private static final int ROWS = 6;

  private static final int COLUMNS = 2 * BITS / Float.SIZE;

  /** Number of a vector register. Register 0 also holds the result of the function. */
  private static final int LARGEST = 0;

  private static final int ROW = 1;
  private static final int A = 2;
  private static final int B = 3;
  private static final int SUMS = 4;

  private final AvxAssembler code = new AvxAssembler(BITS);

  private TileCode() {}

  static byte[] write() {
    return new TileCode().code();
  }

  private byte[] code() {
    code.clear(LARGEST);
    for (int column = 0; column < PANEL; column += COLUMNS) {
      for (int row = 0; row < STRIP; row += ROWS) {
        part(row, column);
      }
    }
    code.combineLanes(Op.MAXIMUM, LARGEST, ROW);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  private static int sum(int row, int vector) {
    return SUMS + 2 * row + vector;
  }

  private void part(int firstRow, int firstColumn) {
    for (int row = 0; row < ROWS; row++) {
      code.clear(sum(row, 0));
      code.clear(sum(row, 1));
    }
    code.copy(STRIP_START, ROWS_AT);
    code.copy(PANEL_START, COLUMNS_AT);
    code.copy(DIMENSION, LEFT);
    int loop = code.label();
    code.load(A, COLUMNS_AT, firstColumn * Float.BYTES);
    code.load(B, COLUMNS_AT, firstColumn * Float.BYTES + VECTOR);
    for (int row = 0; row < ROWS; row++) {
      code.broadcast(ROW, ROWS_AT, (firstRow + row) * Float.BYTES);
      code.emit(Op.MULTIPLY_ADD, ROW, A, sum(row, 0));
      code.emit(Op.MULTIPLY_ADD, ROW, B, sum(row, 1));
    }
    code.add(ROWS_AT, STRIP * Float.BYTES);
    code.add(COLUMNS_AT, PANEL * Float.BYTES);
    code.loop(LEFT, loop);
    for (int row = 0; row < ROWS; row++) {
      int to = ((firstRow + row) * PANEL + firstColumn) * Float.BYTES;
      for (int vector = 0; vector < 2; vector++) {
        code.store(sum(row, vector), PRODUCTS, to + vector * VECTOR);
        code.emit(Op.MAXIMUM, sum(row, vector), LARGEST);
      }
    }
  }
}
