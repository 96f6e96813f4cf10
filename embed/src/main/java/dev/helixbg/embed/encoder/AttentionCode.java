package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.SIDE;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;

/**
 * Writes machine code for the attention of one head over one text: transposed keys, scores for
 * {@link #ROWS} queries at a time, their softmax, and the average of the values. A group is {@link
 * #ROWS} queries; a panel is as many columns as {@link #VECTORS} vectors have.
 */
final class AttentionCode {
  static final int HEAD = 32;

  /** Number of queries that are processed at a time. */
  static final int ROWS = 6;

  static final int TOKENS = 512;

  /**
   * Number of floats after the first {@link #TOKENS} floats in a row of scores or transposed keys.
   * In a row of scores, the first of these floats is the factor (see {@link #FACTOR}); the others
   * are unused.
   */
  static final int PADDING = 32;

  /** Distance between rows of queries, keys, values or results, in bytes. */
  static final int STRIDE = SIDE * Float.BYTES;

  /** Distance between rows of scores or transposed keys, in bytes; not a power of two. */
  static final int WIDE_STRIDE = (TOKENS + PADDING) * Float.BYTES;

  /**
   * Offset, in bytes, of the factor in a row of scores. The factor is 1 divided by the sum of the
   * row's powers of two.
   */
  static final int FACTOR = TOKENS * Float.BYTES;

  static final int VECTORS = 2;

  private static final int UNROLLED = 4;
  private static final int VECTOR = 32;
  private static final Register CONSTANT = Register.R10;

  private AttentionCode() {}

  /** Returns code of {@code void(keys, turned, tokens)}, which transposes a head's keys. */
  static byte[] turn() {
    AvxAssembler code = new AvxAssembler(8 * VECTOR);
    int token = code.label();
    for (int i = 0; i < HEAD; i++) {
      code.emit(Op.LOAD_FIRST, i % 8, Register.RDI, Float.BYTES * i);
      code.storeFirst(i % 8, Register.RSI, WIDE_STRIDE * i);
    }
    code.add(Register.RDI, STRIDE);
    code.add(Register.RSI, Float.BYTES);
    code.loop(Register.RDX, token);
    code.end();
    return code.code();
  }

  /**
   * Returns code of {@code void(queries, transposed keys, scores, HEAD / 4, panels, groups)}, which
   * multiplies queries by transposed keys.
   */
  static byte[] scores(int bits) {
    return product(bits, STRIDE, WIDE_STRIDE, WIDE_STRIDE, false);
  }

  /**
   * Returns code of {@code void(scores, values, results, ⌈tokens / 4⌉, panels, groups)}, which
   * averages values, weighted by scores.
   */
  static byte[] results(int bits) {
    return product(bits, WIDE_STRIDE, STRIDE, STRIDE, true);
  }

  /** Returns code for {@code c[row][i] = Σ a[row][k] · b[k][i]}, {@link #ROWS} rows at a time. */
  private static byte[] product(
      int bits, int strideOfA, int strideOfB, int strideOfC, boolean factors) {
    AvxAssembler code = new AvxAssembler(bits);
    int vector = bits / 8;
    Register a = Register.R10;
    Register b = Register.R11;
    Register left = Register.RAX;
    Register panelOfB = Register.RBX;
    Register panelOfC = Register.RBP;
    Register panels = Register.R14;
    int x = ROWS * VECTORS;
    int y = x + 1;
    code.save(panelOfB);
    code.save(panelOfC);
    code.save(panels);
    int group = code.label();
    code.copy(Register.RSI, panelOfB);
    code.copy(Register.RDX, panelOfC);
    code.copy(Register.R8, panels);
    int panel = code.label();
    code.copy(Register.RDI, a);
    code.copy(panelOfB, b);
    code.copy(Register.RCX, left);
    for (int sum = 0; sum < ROWS * VECTORS; sum++) {
      code.clear(sum);
    }
    int loop = code.label();
    for (int k = 0; k < UNROLLED; k++) {
      for (int v = 0; v < VECTORS; v++) {
        code.load(y + v, b, strideOfB * k + vector * v);
      }
      for (int row = 0; row < ROWS; row++) {
        code.broadcast(x, a, strideOfA * row + Float.BYTES * k);
        for (int v = 0; v < VECTORS; v++) {
          code.emit(Op.MULTIPLY_ADD, x, y + v, row * VECTORS + v);
        }
      }
    }
    code.add(a, Float.BYTES * UNROLLED);
    code.add(b, strideOfB * UNROLLED);
    code.loop(left, loop);
    for (int row = 0; row < ROWS; row++) {
      if (factors) {
        code.broadcast(x, Register.RDI, strideOfA * row + FACTOR);
      }
      for (int v = 0; v < VECTORS; v++) {
        if (factors) {
          code.emit(Op.MULTIPLY, x, row * VECTORS + v);
        }
        code.store(row * VECTORS + v, panelOfC, strideOfC * row + vector * v);
      }
    }
    code.add(panelOfB, vector * VECTORS);
    code.add(panelOfC, vector * VECTORS);
    code.loop(panels, panel);
    code.add(Register.RDI, strideOfA * ROWS);
    code.add(Register.RDX, strideOfC * ROWS);
    code.loop(Register.R9, group);
    code.restore(panels);
    code.restore(panelOfC);
    code.restore(panelOfB);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  /**
   * Returns code of {@code void(scores, mask, vectors of 8, rows)}, which replaces each score by 2
   * to the power of (score − largest score), and writes {@link #FACTOR}. See {@link Mask}.
   */
  static byte[] softmax() {
    AvxAssembler code = new AvxAssembler(8 * VECTOR);
    Register at = Register.R8;
    Register mask = Register.R9;
    Register left = Register.RAX;
    int largest = 0;
    int sum = 1;
    int u = 2;
    int r = 3;
    int power = 4;
    code.set(CONSTANT, Constants.ADDRESS);
    int row = code.label();
    code.load(largest, Register.RDI, 0); // the first token; later positions may have no token
    code.emit(Op.BROADCAST, largest, largest);
    code.copy(Register.RDI, at);
    code.copy(Register.RSI, mask);
    code.copy(Register.RDX, left);
    int first = code.label();
    code.load(u, at, 0);
    code.emit(Op.ADD, u, mask, 0);
    code.store(u, at, 0);
    code.emit(Op.MAXIMUM, u, largest);
    code.add(at, VECTOR);
    code.add(mask, VECTOR);
    code.loop(left, first);
    code.combineLanes(Op.MAXIMUM, largest, u);
    code.emit(Op.BROADCAST, largest, largest);
    code.clear(sum);
    code.copy(Register.RDI, at);
    code.copy(Register.RSI, mask);
    code.copy(Register.RDX, left);
    int second = code.label();
    code.load(u, at, 0);
    code.emit(Op.SUBTRACT, u, largest, u);
    RowCode.power(code, CONSTANT, u, r, power);
    code.emit(Op.AND, power, mask, WIDE_STRIDE);
    code.store(power, at, 0);
    code.emit(Op.ADD, power, sum);
    code.add(at, VECTOR);
    code.add(mask, VECTOR);
    code.loop(left, second);
    code.combineLanes(Op.ADD, sum, u);
    code.emit(Op.BROADCAST, sum, sum);
    code.load(u, CONSTANT, Constants.ONE);
    code.emit(Op.DIVIDE, u, sum, u);
    code.storeFirst(u, Register.RDI, FACTOR);
    code.add(Register.RDI, WIDE_STRIDE);
    code.loop(Register.RCX, row);
    code.clearUpperParts();
    code.end();
    return code.code();
  }
}
