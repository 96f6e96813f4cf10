package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.kernel.ByteRows.HALF_SCALES;
import static dev.helixbg.llm.cpu.kernel.ByteRows.MINIMA;
import static dev.helixbg.llm.cpu.kernel.ByteRows.ROW_BYTES;
import static dev.helixbg.llm.cpu.kernel.ByteRows.SCALES;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.GROUPS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.LINE;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.STARTS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.STEPS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB_BYTES;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUMS;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;
import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.lanes.Lanes;

/**
 * Writes the machine code of {@link ByteProduct}, which computes dot products of bytes. The
 * function's signature is {@code void(weights, tile, sums, panels, subs)}. Twelve sums hide the
 * latency of additions and fit, with their inputs, into 16 registers.
 *
 * <p>With VNNI one instruction adds four products to an int. Without VNNI, {@code vpmaddubsw} adds
 * up two products, which yields a short. The instruction saturates, so weights have seven bits.
 * Shorts are added modulo 2^16, and their final sums fit into shorts (see {@link ByteRows}). Once
 * per scale, two such sums are added, which yields an int. Products without VNNI take twice as
 * long.
 */
final class ByteProductCode {
  static final int SUM_VECTORS = 12;

  private static final int VECTOR = Lanes.BYTES;

  // Registers of the arguments.
  private static final Register ROW = Register.RDI;
  private static final Register TILE = Register.RSI;
  private static final Register TO = Register.RDX;
  private static final Register PANELS = Register.RCX;
  private static final Register SUBS = Register.R8;

  private static final Register BYTES = Register.R9;
  private static final Register FACTORS = Register.R10;
  private static final Register X = Register.R11;
  private static final Register LEFT = Register.RAX;

  private final AvxAssembler code = new AvxAssembler(Lanes.COUNT * Float.SIZE);
  private final boolean pairs;
  private final boolean halves;
  private final int vectors;
  private final int rows;
  private final int weight;

  /**
   * @param pairs whether two products are added in 16 bits (AVX2), instead of four products in 32
   *     bits (VNNI)
   * @param halves whether every 16 columns have a scale; otherwise, every 32 columns have a scale
   *     and a minimum
   * @param vectors 1 or 2 vectors of tokens
   */
  ByteProductCode(boolean pairs, boolean halves, int vectors) {
    this.pairs = pairs;
    this.halves = halves;
    this.vectors = vectors;
    rows = SUM_VECTORS / vectors;
    weight = SUM_VECTORS + vectors;
  }

  private int sum(int row, int v) {
    return row * vectors + v;
  }

  private static int x(int v) {
    return SUM_VECTORS + v;
  }

  /**
   * Returns the number of a register that only AVX2 code needs. In {@link #products}, the register
   * holds products; in {@link #addUp}, it holds a vector of ones.
   */
  private int other() {
    return weight + 1;
  }

  byte[] code() {
    int panel = code.label();
    code.copy(ROW, BYTES);
    code.copy(ROW, FACTORS);
    code.copy(TILE, X);
    code.copy(SUBS, LEFT);
    int sub = code.label();
    if (halves) {
      begin(STARTS);
      products(0, GROUPS / 2);
      addUp(SCALES);
      begin(STARTS + LINE);
      products(GROUPS / 2, GROUPS);
      addUp(HALF_SCALES);
    } else {
      begin(STARTS);
      products(0, GROUPS);
      addUp(SCALES);
    }
    code.add(BYTES, SUB);
    code.add(FACTORS, Float.BYTES);
    code.add(X, SUB_BYTES);
    code.loop(LEFT, sub);
    code.add(ROW, rows * ROW_BYTES);
    code.add(TO, rows * LINE);
    code.loop(PANELS, panel);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  private void begin(int starts) {
    for (int v = 0; v < vectors; v++) {
      code.load(x(v), X, starts + VECTOR * v);
      int second = starts + LINE + VECTOR * v;
      if (!halves && pairs) {
        code.emit(Op.ADD_SHORTS, x(v), X, second);
      } else if (!halves) {
        code.emit(Op.ADD_INTS, x(v), X, second);
      }
      for (int row = 0; row < rows; row++) {
        code.copy(x(v), sum(row, v));
      }
    }
  }

  private void products(int firstGroup, int endGroup) {
    for (int group = firstGroup; group < endGroup; group++) {
      for (int v = 0; v < vectors; v++) {
        code.load(x(v), X, LINE * group + VECTOR * v);
      }
      for (int row = 0; row < rows; row++) {
        code.broadcast(weight, BYTES, ROW_BYTES * row + 4 * group);
        for (int v = 0; v < vectors; v++) {
          if (pairs) {
            code.emit(Op.PAIR_PRODUCTS, weight, x(v), other());
            code.emit(Op.ADD_SHORTS, other(), sum(row, v));
          } else {
            code.emit(Op.DOT_PRODUCTS, weight, x(v), sum(row, v));
          }
        }
      }
    }
  }

  private void addUp(int scales) {
    if (pairs) {
      code.ones(other());
    }
    for (int row = 0; row < rows; row++) {
      for (int v = 0; v < vectors; v++) {
        code.load(x(v), TO, LINE * row + VECTOR * v);
      }
      if (!halves) {
        code.broadcast(weight, FACTORS, ROW_BYTES * row + MINIMA);
        for (int v = 0; v < vectors; v++) {
          code.emit(Op.MULTIPLY_ADD, weight, X, SUMS + VECTOR * v, x(v));
        }
      }
      code.broadcast(weight, FACTORS, ROW_BYTES * row + scales);
      for (int v = 0; v < vectors; v++) {
        if (pairs) {
          code.emit(Op.PAIR_SUMS, other(), sum(row, v));
        }
        code.emit(Op.INTS_TO_FLOATS, sum(row, v), sum(row, v));
        code.emit(Op.MULTIPLY, sum(row, v), X, STEPS + VECTOR * v);
        code.emit(Op.MULTIPLY_ADD, weight, sum(row, v), x(v));
        code.store(x(v), TO, LINE * row + VECTOR * v);
      }
    }
  }
}
