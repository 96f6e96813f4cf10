package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.SIDE;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;
import dev.helixbg.config.x86.AvxAssembler.Shift;

/**
 * Writes machine code for the steps between matrix products, in rows of 384 floats and vectors of
 * 256 bits. The code normalises sums, computes GELU, and rounds.
 */
final class RowCode {
  private static final int VECTOR = 32;
  private static final int VECTORS = SIDE * Float.BYTES / VECTOR;
  private static final int ROW = SIDE * Float.BYTES;

  /** Number of vectors per step of the loop over a row. */
  private static final int STEP = 4;

  private static final Register CONSTANT = Register.R10;
  private static final Register ROWS = Register.RCX;
  private static final Register FACTORS = Register.R8; // address of the columns' factors after GELU

  // Numbers of vector registers that keep their values while a row is processed.
  private static final int LARGEST = 15;
  private static final int INVERSE = 14;

  private final AvxAssembler code = new AvxAssembler(8 * VECTOR);

  private final Square kind;

  RowCode(Square kind) {
    this.kind = kind;
    code.set(CONSTANT, Constants.ADDRESS);
  }

  byte[] round() {
    int row = code.label();
    code.clear(LARGEST);
    for (int i = 0; i < VECTORS; i++) {
      int v = i % STEP;
      code.load(v, Register.RDI, VECTOR * i);
      code.emit(Op.AND, v, CONSTANT, Constants.MAGNITUDE);
      code.emit(Op.MAXIMUM, v, LARGEST);
    }
    signed();
    return end(row);
  }

  byte[] normalise() {
    Register states = Register.R8;
    Register gain = Register.R9;
    int row = code.label();
    for (int sum = 8; sum < 8 + STEP; sum++) {
      code.clear(sum);
    }
    for (int i = 0; i < VECTORS; i++) {
      int v = i % STEP;
      code.load(v, Register.RDI, VECTOR * i);
      code.emit(Op.ADD, v, states, VECTOR * i);
      code.store(v, states, VECTOR * i);
      code.emit(Op.ADD, v, 8 + v);
    }
    sum(8);
    int mean = 13;
    code.copy(8, mean);
    code.emit(Op.MULTIPLY, mean, CONSTANT, Constants.MEAN);
    for (int sum = 8; sum < 8 + STEP; sum++) {
      code.clear(sum);
    }
    for (int i = 0; i < VECTORS; i++) {
      int v = i % STEP;
      code.load(v, states, VECTOR * i);
      code.emit(Op.SUBTRACT, v, mean, v);
      code.emit(Op.MULTIPLY_ADD, v, v, 8 + v);
    }
    sum(8);
    code.emit(Op.MULTIPLY, 8, CONSTANT, Constants.MEAN);
    code.emit(Op.ADD, 8, CONSTANT, Constants.EPSILON);
    code.emit(Op.SQUARE_ROOT, 8, 8);
    int scale = 12;
    code.load(scale, CONSTANT, Constants.ONE);
    code.emit(Op.DIVIDE, scale, 8, scale);
    code.clear(LARGEST);
    for (int i = 0; i < VECTORS; i++) {
      int v = i % STEP;
      code.load(v, states, VECTOR * i);
      code.emit(Op.SUBTRACT, v, mean, v);
      code.emit(Op.MULTIPLY, scale, v);
      code.load(4 + v, gain, VECTOR * i);
      code.emit(Op.MULTIPLY_THEN_ADD, 4 + v, gain, ROW + VECTOR * i, v);
      code.store(v, states, VECTOR * i);
      code.emit(Op.MULTIPLY, v, gain, 2 * ROW + VECTOR * i);
      code.store(v, Register.RDI, VECTOR * i);
      code.emit(Op.AND, v, CONSTANT, Constants.MAGNITUDE);
      code.emit(Op.MAXIMUM, v, LARGEST);
    }
    signed();
    code.add(states, ROW);
    return end(row);
  }

  byte[] gelu() {
    Register left = Register.RAX;
    int row = code.label();
    code.clear(LARGEST);
    code.set(left, VECTORS / STEP);
    int loop = code.label();
    for (int i = 0; i < STEP; i++) {
      gelu(VECTOR * i);
    }
    code.add(Register.RDI, VECTOR * STEP);
    code.add(FACTORS, VECTOR * STEP);
    code.loop(left, loop);
    code.add(Register.RDI, -ROW);
    code.add(FACTORS, -ROW);
    steps(Constants.unsigned(kind));
    numbers(Constants.TO_INTEGER);
    return end(row);
  }

  /**
   * Emits code that computes (x · Φ(x) + shift) · factor, where x · Φ(x) is max(x, 0) − |x| ·
   * Φ(−|x|).
   */
  private void gelu(int at) {
    int x = 0;
    int magnitude = 1;
    int t = 2;
    int u = 3;
    int r = 4;
    int power = 5;
    int tail = 6;
    code.load(x, Register.RDI, at);
    code.copy(x, magnitude);
    code.emit(Op.AND, magnitude, CONSTANT, Constants.MAGNITUDE);
    code.load(t, CONSTANT, Constants.ERF_P);
    code.emit(Op.MULTIPLY_THEN_ADD, magnitude, CONSTANT, Constants.ONE, t);
    code.load(u, CONSTANT, Constants.ONE);
    code.emit(Op.DIVIDE, u, t, t);
    code.copy(magnitude, u);
    code.emit(Op.MULTIPLY, magnitude, u);
    code.emit(Op.MULTIPLY, u, CONSTANT, Constants.HALF_LOG2_E);
    power(code, CONSTANT, u, r, power);
    code.load(tail, CONSTANT, Constants.ERF_5);
    code.emit(Op.MULTIPLY_THEN_ADD, t, CONSTANT, Constants.ERF_4, tail);
    code.emit(Op.MULTIPLY_THEN_ADD, t, CONSTANT, Constants.ERF_3, tail);
    code.emit(Op.MULTIPLY_THEN_ADD, t, CONSTANT, Constants.ERF_2, tail);
    code.emit(Op.MULTIPLY_THEN_ADD, t, CONSTANT, Constants.ERF_1, tail);
    code.emit(Op.MULTIPLY, t, tail);
    code.emit(Op.MULTIPLY, power, tail);
    code.clear(power);
    code.emit(Op.MAXIMUM, power, x);
    code.emit(Op.ADD, x, CONSTANT, Constants.GELU_SHIFT);
    code.emit(Op.SUBTRACT_PRODUCT, magnitude, tail, x);
    code.emit(Op.MULTIPLY, x, FACTORS, at);
    code.store(x, Register.RDI, at);
    code.emit(Op.MAXIMUM, x, LARGEST);
  }

  /** Emits code that computes {@code power = 2^u}, and overwrites the registers u and r. */
  static void power(AvxAssembler code, Register constant, int u, int r, int power) {
    code.emit(Op.MAXIMUM, u, constant, Constants.LOWEST);
    code.load(r, constant, Constants.TO_INTEGER);
    code.emit(Op.ADD, u, r); // the low bits of r are u rounded to an integer
    code.load(power, constant, Constants.TO_INTEGER);
    code.emit(Op.SUBTRACT, r, power, power);
    code.emit(Op.SUBTRACT, u, power, u); // u is the difference from that integer
    code.load(power, constant, Constants.POWER_5);
    code.emit(Op.MULTIPLY_THEN_ADD, u, constant, Constants.POWER_4, power);
    code.emit(Op.MULTIPLY_THEN_ADD, u, constant, Constants.POWER_3, power);
    code.emit(Op.MULTIPLY_THEN_ADD, u, constant, Constants.POWER_2, power);
    code.emit(Op.MULTIPLY_THEN_ADD, u, constant, Constants.POWER_1, power);
    code.emit(Op.MULTIPLY_THEN_ADD, u, constant, Constants.ONE, power);
    code.shift(Shift.LEFT, r, 23, r);
    code.emit(Op.ADD_INTS, r, power);
  }

  private void sum(int first) {
    code.emit(Op.ADD, first + 1, first);
    code.emit(Op.ADD, first + 3, first + 2);
    code.emit(Op.ADD, first + 2, first);
    code.combineLanes(Op.ADD, first, first + 1);
    code.emit(Op.BROADCAST, first, first);
  }

  private void signed() {
    steps(Constants.signed(kind));
    numbers(Constants.toNumber(kind));
  }

  /**
   * Emits code that computes a row's step and the step's inverse. {@code most} is the offset of the
   * largest integer in {@link Constants}.
   */
  private void steps(int most) {
    code.combineLanes(Op.MAXIMUM, LARGEST, 0);
    code.emit(Op.BROADCAST, LARGEST, LARGEST);
    code.emit(Op.MAXIMUM, LARGEST, CONSTANT, Constants.SMALLEST);
    code.load(INVERSE, CONSTANT, most);
    code.emit(Op.DIVIDE, INVERSE, LARGEST, INVERSE);
    code.emit(Op.MULTIPLY, LARGEST, CONSTANT, most + VECTOR);
    code.storeFirst(LARGEST, Register.RDX, 0);
    code.add(Register.RDX, Float.BYTES);
  }

  /**
   * Emits code that rounds a row, and packs vectors that are 16 values apart into one vector of
   * ints.
   */
  private void numbers(int rounding) {
    int parts = kind.inAnInt;
    int bits = Integer.SIZE / parts;
    for (int at = 0; at < kind.row; at += 2 * VECTOR) {
      for (int half = 0; half < 2; half++) {
        for (int i = 0; i < parts; i++) {
          code.load(i, Register.RDI, at * parts + 2 * VECTOR * i + VECTOR * half);
          code.emit(Op.MULTIPLY_THEN_ADD, INVERSE, CONSTANT, rounding, i);
          if (i < parts - 1) {
            code.emit(Op.AND, i, CONSTANT, Constants.lowPart(kind));
          }
          if (i > 0) {
            code.shift(Shift.LEFT, i, bits * i, i);
            code.emit(Op.OR, i, 0);
          }
        }
        code.store(0, Register.RSI, at + VECTOR * half);
      }
    }
    code.add(Register.RSI, kind.row);
  }

  private byte[] end(int row) {
    code.add(Register.RDI, ROW);
    code.loop(ROWS, row);
    code.clearUpperParts();
    code.end();
    return code.code();
  }
}
