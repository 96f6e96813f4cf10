package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.LINE;
import static dev.helixbg.embed.encoder.Square.SIDE;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Register;

/**
 * Writes the machine code of rows of whole numbers times some vectors of a {@link Square}'s
 * outputs: {@code void(numbers, steps, weights, sums, panels of rows)}.
 *
 * <p>With VNNI an int adds up four products of bytes, or two of shorts, at once. Without, a short
 * adds up two of bytes ({@code vpmaddubsw}), and {@code vpmaddwd} two of those, or of shorts. Six
 * rows times four vectors of 512 bits read ten vectors for 24 products, less than twelve rows times
 * two. In 256 bits twelve sums leave four registers: what bytes want without VNNI leaves none for
 * weights, which are operands in memory.
 */
final class SquareCode {
  private static final Register X = Register.RDI;
  private static final Register ROW_STEPS = Register.RSI;
  private static final Register WEIGHTS = Register.RDX;
  private static final Register TO = Register.RCX;
  private static final Register PANELS = Register.R8;
  private static final Register W = Register.R9;
  private static final Register LEFT = Register.RAX;

  /** Rows of a panel. Memory must have room for a multiple of this number of rows. */
  static final int ROWS = 6;

  private static final int UNROLLED = 8;
  private static final int SUMS_BYTES = SIDE * Float.BYTES;

  private final AvxAssembler code;
  private final Square kind;
  private final boolean vnni;
  private final boolean adds;
  private final int vectors;
  private final int vector;

  // Registers behind the sums.
  private final int weight;
  private final int x;
  private final int ones;

  /**
   * @param kind of the squares
   * @param bits of the vectors, 256 or 512; 512 have VNNI
   * @param vnni whether products are added at once
   * @param adds to the sums in memory, else to the biases
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
    ones = x + 3; // or a product
  }

  /** Vectors of outputs. */
  static int vectors(int bits) {
    return bits == 512 ? 4 : 2;
  }

  private int sum(int row, int v) {
    return row * vectors + v;
  }

  byte[] code() {
    if (!vnni && kind == Square.BYTES) {
      code.ones(ones);
    }
    int panel = code.label();
    for (int v = 0; v < vectors; v++) {
      code.load(sum(0, v), WEIGHTS, kind.starts + vector * v);
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

  /** Adds the products of the inputs that an int holds. */
  private void products(int line) {
    boolean held = vnni || kind == Square.SHORTS;
    for (int v = 0; held && v < vectors; v++) {
      code.load(weight + v, W, LINE * line + vector * v);
    }
    for (int row = 0; row < ROWS; row++) {
      code.broadcast(x, X, kind.row * row + 4 * line);
      for (int v = 0; v < vectors; v++) {
        product(LINE * line + vector * v, weight + v, sum(row, v));
      }
    }
  }

  /**
   * @param at of the weights, which are held by a register unless they are bytes and without VNNI
   */
  private void product(int at, int held, int sum) {
    if (kind == Square.SHORTS && vnni) {
      code.shortDotProducts(x, held, sum);
    } else if (kind == Square.SHORTS) {
      code.pairSums(x, held, ones);
      code.add(ones, sum);
    } else if (vnni) {
      code.dotProducts(x, held, sum);
    } else {
      code.pairProducts(x, W, at, weight);
      code.pairSums(ones, weight);
      code.add(weight, sum);
    }
  }

  /** Times both steps, to what is there or to the biases. */
  private void addUp(int row) {
    code.broadcast(x, ROW_STEPS, Float.BYTES * row);
    for (int v = 0; v < vectors; v++) {
      int at = SUMS_BYTES * row + vector * v;
      code.toFloats(sum(row, v));
      code.multiply(sum(row, v), WEIGHTS, kind.steps + vector * v);
      if (adds) {
        code.load(weight, TO, at);
      } else {
        code.load(weight, WEIGHTS, kind.biases + vector * v);
      }
      code.multiplyAdd(x, sum(row, v), weight);
      code.store(weight, TO, at);
    }
  }
}
