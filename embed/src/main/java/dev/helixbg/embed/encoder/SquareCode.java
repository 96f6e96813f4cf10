package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.BIASES;
import static dev.helixbg.embed.encoder.Square.FOURS;
import static dev.helixbg.embed.encoder.Square.LINE;
import static dev.helixbg.embed.encoder.Square.SIDE;
import static dev.helixbg.embed.encoder.Square.STARTS;
import static dev.helixbg.embed.encoder.Square.STEPS;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Register;

/**
 * Writes the machine code of rows of bytes times some vectors of a {@link Square}'s outputs: {@code
 * void(bytes, steps, weights, sums, panels of rows)}.
 *
 * <p>With VNNI an int adds up four products at once. Without, a short adds up two ({@code
 * vpmaddubsw}), and {@code vpmaddwd} two of those. Six rows times four vectors of 512 bits read ten
 * vectors for 24 products, less than twelve rows times two. In 256 bits twelve sums leave four
 * registers, and weights are operands in memory.
 */
final class SquareCode {
  private static final Register X = Register.RDI;
  private static final Register ROW_STEPS = Register.RSI;
  private static final Register WEIGHTS = Register.RDX;
  private static final Register TO = Register.RCX;
  private static final Register PANELS = Register.R8;
  private static final Register W = Register.R9;
  private static final Register LEFT = Register.RAX;

  /** Rows of a panel: there must be memory for a multiple of so many. */
  static final int ROWS = 6;

  private static final int UNROLLED = 8;
  private static final int SUMS_BYTES = SIDE * Float.BYTES;

  private final AvxAssembler code;
  private final boolean vnni;
  private final boolean wide;
  private final boolean adds;
  private final int vectors;
  private final int vector;

  // Registers behind the sums.
  private final int weight;
  private final int x;
  private final int ones;

  /**
   * @param bits of the vectors, 256 or 512; 512 have VNNI
   * @param vnni whether four products are added at once
   * @param adds to the sums in memory, else to the biases
   */
  SquareCode(int bits, boolean vnni, boolean adds) {
    code = new AvxAssembler(bits);
    this.vnni = vnni;
    this.adds = adds;
    wide = bits == 512;
    vectors = vectors(bits);
    vector = bits / 8;
    x = ROWS * vectors;
    weight = x + 1;
    ones = x + 3;
  }

  /** Vectors of outputs. */
  static int vectors(int bits) {
    return bits == 512 ? 4 : 2;
  }

  private int sum(int row, int v) {
    return row * vectors + v;
  }

  byte[] code() {
    if (!vnni) {
      code.ones(ones);
    }
    int panel = code.label();
    for (int v = 0; v < vectors; v++) {
      code.load(sum(0, v), WEIGHTS, STARTS + vector * v);
      for (int row = 1; row < ROWS; row++) {
        code.copy(sum(0, v), sum(row, v));
      }
    }
    code.copy(WEIGHTS, W);
    code.set(LEFT, FOURS / UNROLLED);
    int loop = code.label();
    for (int four = 0; four < UNROLLED; four++) {
      products(four);
    }
    code.add(X, 4 * UNROLLED);
    code.add(W, LINE * UNROLLED);
    code.loop(LEFT, loop);
    for (int row = 0; row < ROWS; row++) {
      addUp(row);
    }
    code.add(X, (ROWS - 1) * SIDE);
    code.add(ROW_STEPS, ROWS * Float.BYTES);
    code.add(TO, ROWS * SUMS_BYTES);
    code.loop(PANELS, panel);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  /** Of four inputs. */
  private void products(int four) {
    if (wide) {
      for (int v = 0; v < vectors; v++) {
        code.load(weight + v, W, LINE * four + vector * v);
      }
    }
    for (int row = 0; row < ROWS; row++) {
      code.broadcast(x, X, SIDE * row + 4 * four);
      for (int v = 0; v < vectors; v++) {
        int at = LINE * four + vector * v;
        if (wide) {
          code.dotProducts(x, weight + v, sum(row, v));
        } else if (vnni) {
          code.dotProducts(x, W, at, sum(row, v));
        } else {
          code.pairProducts(x, W, at, weight);
          code.pairSums(ones, weight);
          code.add(weight, sum(row, v));
        }
      }
    }
  }

  /** Times both steps, to what is there or to the biases. */
  private void addUp(int row) {
    code.broadcast(x, ROW_STEPS, Float.BYTES * row);
    for (int v = 0; v < vectors; v++) {
      int at = SUMS_BYTES * row + vector * v;
      code.toFloats(sum(row, v));
      code.multiply(sum(row, v), WEIGHTS, STEPS + vector * v);
      if (adds) {
        code.load(weight, TO, at);
      } else {
        code.load(weight, WEIGHTS, BIASES + vector * v);
      }
      code.multiplyAdd(x, sum(row, v), weight);
      code.store(weight, TO, at);
    }
  }
}
