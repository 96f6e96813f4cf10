package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.LINE;
import static dev.helixbg.embed.encoder.Square.SIDE;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;

/**
 * Writes machine code of {@code void(numbers, steps, weights, sums, panels of rows)}, which
 * multiplies rows of integers by the weights of as many outputs of a {@link Square} as fit into the
 * vectors.
 *
 * <p>A VNNI instruction adds four products of bytes, or two products of shorts, to an int. Without
 * VNNI, {@code vpmaddubsw} adds two products of bytes into a short, and {@code vpmaddwd} adds two
 * shorts, or two products of shorts, into an int.
 */
final class SquareCode {
  private static final Register X = Register.RDI;
  private static final Register ROW_STEPS = Register.RSI;
  private static final Register WEIGHTS = Register.RDX;
  private static final Register TO = Register.RCX;
  private static final Register PANELS = Register.R8;
  private static final Register W = Register.R9;
  private static final Register LEFT = Register.RAX;

  /**
   * Number of rows that are computed together. The memory of rows must have room for a multiple of
   * this number of rows.
   */
  static final int ROWS = 6;

  private static final int UNROLLED = 8;
  private static final int SUMS_BYTES = SIDE * Float.BYTES;

  private final AvxAssembler code;
  private final Square kind;
  private final boolean vnni;
  private final boolean adds;
  private final int vectors;
  private final int vector;

  // Numbers of vector registers. The registers with lower numbers hold the sums.
  private final int weight;
  private final int x;
  private final int ones;

  /**
   * @param bits size of vectors, 256 or 512 bits; 512 bits require VNNI
   * @param adds whether products are added to the sums in memory, not to the biases
   */
  SquareCode(Square kind, int bits, boolean vnni, boolean adds) {
    code = new AvxAssembler(bits);
    this.kind = kind;
    this.vnni = vnni;
    this.adds = adds;
    vectors = vectors(bits);
    vector = bits / 8;
    x = ROWS * vectors;
    weight = x + 1;
    ones = x + 3; // also holds products of shorts
  }

  static int vectors(int bits) {
    return bits == 512 ? 4 : 2;
  }

  private int sum(int row, int v) {
    return row * vectors + v;
  }

  byte[] code() {
    if (!vnni && kind.inAnInt == 4) {
      code.ones(ones);
    }
    int panel = code.label();
    for (int v = 0; v < vectors; v++) {
      code.load(sum(0, v), WEIGHTS, kind.starts + kind.weights(vector * v));
      for (int row = 1; row < ROWS; row++) {
        code.copy(sum(0, v), sum(row, v));
      }
    }
    code.copy(WEIGHTS, W);
    code.set(LEFT, kind.lines / UNROLLED);
    int loop = code.label();
    for (int line = 0; line < UNROLLED; line++) {
      products(line);
    }
    code.add(X, 4 * UNROLLED);
    code.add(W, LINE * UNROLLED);
    code.loop(LEFT, loop);
    for (int row = 0; row < ROWS; row++) {
      addUp(row);
    }
    code.add(X, (ROWS - 1) * kind.row);
    code.add(ROW_STEPS, ROWS * Float.BYTES);
    code.add(TO, ROWS * SUMS_BYTES);
    code.loop(PANELS, panel);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  private void products(int line) {
    boolean held = vnni || kind == Square.SHORTS;
    for (int v = 0; held && v < vectors; v++) {
      code.load(weight + v, W, LINE * line + kind.weights(vector * v));
    }
    for (int row = 0; row < ROWS; row++) {
      code.broadcast(x, X, kind.row * row + 4 * line);
      for (int v = 0; v < vectors; v++) {
        product(LINE * line + kind.weights(vector * v), weight + v, sum(row, v));
      }
    }
  }

  /**
   * Emits code that adds products of inputs and weights to a register of sums.
   *
   * @param at offset of the weights in memory; used only if weights are bytes and there is no VNNI
   */
  private void product(int at, int held, int sum) {
    if (kind == Square.SHORTS && vnni) {
      code.emit(Op.SHORT_DOT_PRODUCTS, x, held, sum);
    } else if (kind == Square.SHORTS) {
      code.emit(Op.PAIR_SUMS, x, held, ones);
      code.emit(Op.ADD_INTS, ones, sum);
    } else if (vnni) {
      code.emit(Op.DOT_PRODUCTS, x, held, sum);
    } else {
      code.emit(Op.PAIR_PRODUCTS, x, W, at, weight);
      code.emit(Op.PAIR_SUMS, ones, weight);
      code.emit(Op.ADD_INTS, weight, sum);
    }
  }

  private void addUp(int row) {
    code.broadcast(x, ROW_STEPS, Float.BYTES * row);
    for (int v = 0; v < vectors; v++) {
      int at = SUMS_BYTES * row + vector * v;
      code.emit(Op.INTS_TO_FLOATS, sum(row, v), sum(row, v));
      code.emit(Op.MULTIPLY, sum(row, v), WEIGHTS, kind.steps + kind.weights(vector * v));
      if (adds) {
        code.load(weight, TO, at);
      } else {
        code.load(weight, WEIGHTS, kind.biases + kind.weights(vector * v));
      }
      code.emit(Op.MULTIPLY_ADD, x, sum(row, v), weight);
      code.store(weight, TO, at);
    }
  }
}
