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

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.kernel.tile.ByteTiles;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.cpu.x86.Assembler.Register;
import java.util.Optional;

/**
 * {@link ByteRows} times {@link ByteTiles} by the instruction that multiplies four bytes of an int
 * with four of another and adds up all (VNNI): a processor does four times as many products by it
 * as in floats.
 */
public final class ByteProduct {
  /** Rows that are multiplied together: their sums and two vectors of tokens take 14 registers. */
  public static final int ROWS = 6;

  private static final int VECTOR = Lanes.BYTES;

  // Registers. Of vectors: first the sums of each row, two each.
  private static final int X0 = 2 * ROWS;
  private static final int X1 = X0 + 1;
  private static final int W = X0 + 2;

  // The arguments.
  private static final Register ROW = Register.RDI;
  private static final Register TILE = Register.RSI;
  private static final Register TO = Register.RDX;
  private static final Register PANELS = Register.RCX;
  private static final Register SUBS = Register.R8;

  private static final Register BYTES = Register.R9;
  private static final Register FACTORS = Register.R10;
  private static final Register X = Register.R11;
  private static final Register LEFT = Register.RAX;

  private static final boolean RUNS =
      switch (Lanes.COUNT) {
        case 16 -> MachineCode.runs("avx512_vnni");
        case 8 -> MachineCode.runs("avx_vnni");
        default -> false;
      };

  private static final Optional<NativeFunction> WHOLE = function(false);
  private static final Optional<NativeFunction> HALVES = function(true);

  /** Whether the processor has the instruction, and the system lets us use it. */
  public static final boolean AVAILABLE = WHOLE.isPresent() && HALVES.isPresent();

  private ByteProduct() {}

  /**
   * {@code sums[r][t] += Σ W[r][k] · x[k][t]}.
   *
   * @param rows in {@link ByteRows}, one at least; all up to the next multiple of {@link #ROWS} are
   *     used, too
   * @param halves whether 16 columns have a scale of their own
   * @param columns a multiple of 32, 32 at least, at most {@link ByteTiles#COLUMNS}
   * @param sums {@link ByteTiles#TOKENS} floats of each row
   * @throws java.util.NoSuchElementException if this is not {@link #AVAILABLE}
   */
  public static void multiply(
      long weights, int rows, boolean halves, int columns, long tile, long sums) {
    NativeFunction product = (halves ? HALVES : WHOLE).orElseThrow();
    product.call(weights, tile, sums, Math.ceilDiv(rows, ROWS), columns / SUB, 0, 0, 0);
  }

  private static Optional<NativeFunction> function(boolean halves) {
    return RUNS ? MachineCode.function(code(halves)) : Optional.empty();
  }

  /** {@code void(rows, tile, sums, panels, subs)}. */
  private static byte[] code(boolean halves) {
    Assembler code = new Assembler(Lanes.COUNT * Float.SIZE);
    int panel = code.label();
    code.copy(ROW, BYTES);
    code.copy(ROW, FACTORS);
    code.copy(TILE, X);
    code.copy(SUBS, LEFT);
    int sub = code.label();
    if (halves) {
      code.load(X0, X, STARTS);
      code.load(X1, X, STARTS + VECTOR);
      products(code, 0, GROUPS / 2);
      addUp(code, SCALES, false);
      code.load(X0, X, STARTS + LINE);
      code.load(X1, X, STARTS + LINE + VECTOR);
      products(code, GROUPS / 2, GROUPS);
      addUp(code, HALF_SCALES, false);
    } else {
      code.load(X0, X, STARTS);
      code.load(X1, X, STARTS + VECTOR);
      code.add(X0, X, STARTS + LINE);
      code.add(X1, X, STARTS + LINE + VECTOR);
      products(code, 0, GROUPS);
      addUp(code, SCALES, true);
    }
    code.add(BYTES, SUB);
    code.add(FACTORS, Float.BYTES);
    code.add(X, SUB_BYTES);
    code.loop(LEFT, sub);
    code.add(ROW, ROWS * ROW_BYTES);
    code.add(TO, ROWS * LINE);
    code.loop(PANELS, panel);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  /** Sums of products, of ints, which begin with x. */
  private static void products(Assembler code, int from, int to) {
    for (int row = 0; row < ROWS; row++) {
      code.copy(X0, 2 * row);
      code.copy(X1, 2 * row + 1);
    }
    for (int group = from; group < to; group++) {
      code.load(X0, X, LINE * group);
      code.load(X1, X, LINE * group + VECTOR);
      for (int row = 0; row < ROWS; row++) {
        code.broadcast(W, BYTES, ROW_BYTES * row + 4 * group);
        code.dotProducts(W, X0, 2 * row);
        code.dotProducts(W, X1, 2 * row + 1);
      }
    }
  }

  /** Times the scale of both, to the sums in memory, with the minimum times the sum of x. */
  private static void addUp(Assembler code, int scales, boolean minima) {
    for (int row = 0; row < ROWS; row++) {
      int a = 2 * row;
      int b = a + 1;
      code.load(X0, TO, LINE * row);
      code.load(X1, TO, LINE * row + VECTOR);
      if (minima) {
        code.broadcast(W, FACTORS, ROW_BYTES * row + MINIMA);
        code.multiplyAdd(W, X, SUMS, X0);
        code.multiplyAdd(W, X, SUMS + VECTOR, X1);
      }
      code.broadcast(W, FACTORS, ROW_BYTES * row + scales);
      code.toFloats(a);
      code.toFloats(b);
      code.multiply(a, X, STEPS);
      code.multiply(b, X, STEPS + VECTOR);
      code.multiplyAdd(W, a, X0);
      code.multiplyAdd(W, b, X1);
      code.store(X0, TO, LINE * row);
      code.store(X1, TO, LINE * row + VECTOR);
    }
  }
}
