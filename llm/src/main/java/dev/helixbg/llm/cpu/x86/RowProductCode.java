package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.kernel.ActivationBytes.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.ActivationBytes.OFFSETS;
import static dev.helixbg.llm.cpu.kernel.ActivationBytes.STEPS;
import static dev.helixbg.llm.cpu.kernel.ActivationBytes.SUB;

import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;
import dev.helixbg.config.x86.AvxAssembler.Shift;
import dev.helixbg.llm.cpu.kernel.ActivationBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntUnaryOperator;

/**
 * Writes the machine code of {@link ByteRowProduct} for rows of quantised types, which are read in
 * place, with vectors of 256 bits. The function's signature is {@code void(weights, x, y, rows,
 * blocks, own)}.
 *
 * <p>{@code vpmaddubsw} multiplies quanta (stored integers, as unsigned bytes) by activations
 * (signed bytes) and adds each pair of products, which yields a short (2 · 63 · 127 fits). {@code
 * vpmaddwd} adds each pair of shorts, which yields an int; for Q6_K, it also multiplies the shorts
 * by the scale. Ints become floats and are multiplied by the rounding step of the activations. In
 * Q8_0, quanta are signed, so the sign of each quantum is moved to the activation. The largest sum
 * of two products is then 2 · 128 · 127, which also fits a short. The number of instructions
 * determines the speed: 88 for a block of Q4_K (144 bytes), and 110 for a block of Q6_K (210
 * bytes). Weights are prefetched {@link #AHEAD} bytes in advance, which is farther than the
 * processor itself prefetches.
 */
final class RowProductCode {
  /**
   * Offset, in bytes, of a distance in the calling thread's scratch memory, after eight factors. It
   * is the distance in bytes from the end of a row of weights to the next row to multiply. Two more
   * distances follow: to the next result, and back to the start of the activations.
   */
  static final int NEXT_ROW = 64;

  static final int NEXT_RESULT = NEXT_ROW + 8;
  static final int SAME_X = NEXT_RESULT + 8;

  private static final int AHEAD = 2048;
  private static final int LINE = 64;
  private static final int VECTOR = 32;

  private static final int SUBS = COLUMNS / SUB;

  // Sizes of blocks and offsets in a block, in bytes.
  private static final int Q8_0_BYTES = 34;
  private static final int Q8_0_QUANTA = 2;
  private static final int Q4_K_BYTES = 144;
  private static final int Q4_K_MINIMUM = 2;
  private static final int Q4_K_QUANTA = 16;
  private static final int Q5_K_BYTES = 176;
  private static final int Q5_K_UPPER = 16;
  private static final int Q5_K_QUANTA = 48;
  private static final int FIFTH = 4;
  private static final int Q6_K_BYTES = 210;
  private static final int Q6_K_UPPER = 128;
  private static final int Q6_K_SCALES = 192;
  private static final int Q6_K_SCALE = 208;

  // Offsets of constant vectors in CONSTANTS, in bytes. A function computes each byte or int of a
  // vector from its index.
  private static final int NO_BYTE = 0x80;
  private static final MemorySegment CONSTANTS = Arena.global().allocate(17 * VECTOR, 64);
  private static final int NIBBLES = bytes(0, _ -> 0x0F);
  private static final int TWO_BITS = bytes(1, _ -> 0x30);

  /**
   * Offset in {@code CONSTANTS} of the shuffle that moves Q4_K's scales to ints. Each of the last
   * four scales takes bits from two bytes.
   */
  private static final int SCALES = bytes(2, i -> place(i, 4, 12));

  /**
   * Offset in {@code CONSTANTS} of the shuffle that moves Q4_K's minima to ints. The last four
   * minima have their low bits in upper nibbles.
   */
  private static final int MINIMA = bytes(3, i -> place(i, 8, 12));

  private static final int NIBBLES_OF_OTHERS = ints(4, i -> i < 4 ? 0 : 4);
  private static final int LOW = ints(5, i -> i < 4 ? 0x3F : 0x0F);
  private static final int HIGH = ints(6, i -> i < 4 ? 0 : 0x30);
  private static final int BITS_TO_HIGH = 10;

  /**
   * Offset in {@code CONSTANTS} of the shuffle that moves Q6_K's scales with even indices to the
   * front. When all scales are widened to shorts, the scales with even indices fill the lower half.
   */
  private static final int EVEN_FIRST = bytes(7, i -> i % 16 < 8 ? i % 8 * 2 : i % 8 * 2 + 1);

  private static final int FIFTH_BITS = bytes(16, _ -> 1 << FIFTH);

  /**
   * Offset in {@code CONSTANTS} of the first of eight shuffles. Shuffle i, at {@code SPREAD + 32 ·
   * i}, copies the i-th short of each half to all shorts of that half.
   */
  private static final int SPREAD = spread();

  // General registers, for the arguments and for the current row.
  private static final Register WEIGHTS = Register.RDI;
  private static final Register X = Register.RSI;
  private static final Register Y = Register.RDX;
  private static final Register ROWS = Register.RCX;
  private static final Register BLOCKS = Register.R8;
  private static final Register OWN = Register.R9;
  private static final Register CONSTANT = Register.R10;
  private static final Register LEFT = Register.RAX;

  // Numbers of vector registers.
  private static final int SUM = 0;
  private static final int OFFSET_SUM = 1;
  private static final int EVEN = 2;
  private static final int ODD = 3;
  private static final int NIBBLE = 4;

  /**
   * Number of the register that holds a vector of ones, or for Q6_K the mask of the upper two bits.
   */
  private static final int OTHER = 5;

  private static final int SCALE_SHORTS = 6;
  private static final int UPPER = 7;
  private static final int A = 8;
  private static final int B = 9;
  private static final int C = 10;
  private static final int D = 11;
  private static final int FIFTH_BIT = 12;

  private final AvxAssembler code = new AvxAssembler(8 * VECTOR);

  private RowProductCode() {
    code.set(CONSTANT, CONSTANTS.address());
  }

  private static int place(int i, int first, int others) {
    int lane = i / 4;
    return switch (i % 4) {
      case 0 -> lane < 4 ? first + lane : others + lane - 4;
      case 1 -> lane < 4 ? NO_BYTE : first + lane - 4;
      default -> NO_BYTE;
    };
  }

  private static int bytes(int vector, IntUnaryOperator values) {
    for (int i = 0; i < VECTOR; i++) {
      CONSTANTS.set(ValueLayout.JAVA_BYTE, (long) VECTOR * vector + i, (byte) values.applyAsInt(i));
    }
    return VECTOR * vector;
  }

  private static int ints(int vector, IntUnaryOperator values) {
    return bytes(vector, i -> values.applyAsInt(i / 4) >> 8 * (i % 4));
  }

  private static int spread() {
    for (int vector = 0; vector < SUBS; vector++) {
      int scale = vector;
      bytes(8 + vector, i -> 2 * scale + i % 2);
    }
    return 8 * VECTOR;
  }

  static byte[] q8() {
    RowProductCode all = new RowProductCode();
    all.code.ones(OTHER);
    return all.rows(all::q8Block, Q8_0_BYTES, ActivationBytes.SINGLE_BYTES);
  }

  /**
   * @param five whether quanta have a fifth bit (Q5_K, not Q4_K)
   */
  static byte[] nibbles(boolean five) {
    RowProductCode all = new RowProductCode();
    all.code.ones(OTHER);
    all.code.load(FIFTH_BIT, CONSTANT, FIFTH_BITS);
    int bytes = five ? Q5_K_BYTES : Q4_K_BYTES;
    return all.rows(() -> all.minimaBlock(five), bytes, ActivationBytes.blockBytes(false));
  }

  static byte[] q6K() {
    RowProductCode all = new RowProductCode();
    all.code.load(OTHER, CONSTANT, TWO_BITS);
    return all.rows(all::q6KBlock, Q6_K_BYTES, ActivationBytes.blockBytes(true));
  }

  private byte[] rows(Runnable block, int weightBytes, int xBytes) {
    code.load(NIBBLE, CONSTANT, NIBBLES);
    int row = code.label();
    code.clear(SUM);
    code.clear(OFFSET_SUM);
    code.copy(BLOCKS, LEFT);
    int next = code.label();
    for (int line = 0; line < weightBytes / LINE + weightBytes % LINE / VECTOR; line++) {
      code.fetchAhead(WEIGHTS, AHEAD + LINE * line);
    }
    block.run();
    code.add(WEIGHTS, weightBytes);
    code.add(X, xBytes);
    code.loop(LEFT, next);
    code.emit(Op.ADD, OFFSET_SUM, SUM);
    code.combineLanes(Op.ADD, SUM, A); // in the order of sumOfLanes
    code.storeFirst(SUM, Y, 0);
    code.add(WEIGHTS, OWN, NEXT_ROW);
    code.add(Y, OWN, NEXT_RESULT);
    code.add(X, OWN, SAME_X);
    code.loop(ROWS, row);
    code.clearUpperParts();
    code.end();
    return code.code();
  }

  private void q8Block() {
    code.load(A, WEIGHTS, Q8_0_QUANTA);
    code.load(B, X, 0);
    code.emit(Op.SIGN, A, B);
    code.emit(Op.MAGNITUDES_OF_BYTES, A, A);
    code.emit(Op.PAIR_PRODUCTS, A, B, A);
    code.emit(Op.PAIR_SUMS, OTHER, A);
    code.emit(Op.INTS_TO_FLOATS, A, A);
    half(B, 0);
    code.broadcast(C, X, SUB);
    code.emit(Op.MULTIPLY, C, B);
    code.emit(Op.MULTIPLY_ADD, A, B, SUM);
  }

  private void minimaBlock(boolean five) {
    int quanta = five ? Q5_K_QUANTA : Q4_K_QUANTA;
    code.emit(Op.BROADCAST_HALVES, A, WEIGHTS, 0);
    code.emit(Op.SHUFFLE, A, CONSTANT, SCALES, B);
    code.emit(Op.SHUFFLE, A, CONSTANT, MINIMA, A);
    sixBits(B);
    code.emit(Op.MULTIPLY, B, X, STEPS);
    code.store(B, OWN, 0);
    code.shift(Shift.RIGHT, A, BITS_TO_HIGH, C);
    code.emit(Op.SHIFT_EACH_RIGHT, A, CONSTANT, NIBBLES_OF_OTHERS);
    sixBits(A, C);
    code.emit(Op.MULTIPLY, A, X, OFFSETS);
    half(B, Q4_K_MINIMUM);
    code.emit(Op.MULTIPLY_ADD, A, B, OFFSET_SUM);
    if (five) {
      code.load(UPPER, WEIGHTS, Q5_K_UPPER);
    }
    for (int sub = 0; sub < SUBS; sub += 2) {
      code.load(A, WEIGHTS, quanta + VECTOR * sub / 2);
      code.shift(Shift.SHORTS_RIGHT, A, 4, B);
      code.emit(Op.AND, A, NIBBLE, A);
      code.emit(Op.AND, B, NIBBLE, B);
      if (five) {
        addFifthBits(sub, A);
        addFifthBits(sub + 1, B);
      }
      scaledProducts(A, sub, EVEN);
      scaledProducts(B, sub + 1, ODD);
    }
    addBlock(0);
  }

  private void sixBits(int ints) {
    code.shift(Shift.RIGHT, ints, BITS_TO_HIGH, C);
    sixBits(ints, C);
  }

  private void sixBits(int ints, int high) {
    code.emit(Op.AND, ints, CONSTANT, LOW);
    code.emit(Op.AND, high, CONSTANT, HIGH);
    code.emit(Op.OR, high, ints);
    code.emit(Op.INTS_TO_FLOATS, ints, ints);
  }

  /**
   * Adds the fifth bits of a sub-block to its quanta. The fifth bits are in 32 bytes; each of these
   * bytes has one bit for each of the eight sub-blocks.
   */
  private void addFifthBits(int sub, int quanta) {
    if (sub < FIFTH) {
      code.shift(Shift.SHORTS_LEFT, UPPER, FIFTH - sub, D);
    } else {
      code.shift(Shift.SHORTS_RIGHT, UPPER, sub - FIFTH, D);
    }
    code.emit(Op.AND, D, FIFTH_BIT, D);
    code.emit(Op.OR, D, quanta);
  }

  private void scaledProducts(int weights, int sub, int sum) {
    code.emit(Op.PAIR_PRODUCTS, weights, X, SUB * sub, weights);
    code.emit(Op.PAIR_SUMS, OTHER, weights);
    code.emit(Op.INTS_TO_FLOATS, weights, weights);
    code.broadcast(C, OWN, Float.BYTES * sub);
    if (sub < 2) {
      code.copy(weights, sum);
      code.emit(Op.MULTIPLY, C, sum);
    } else {
      code.emit(Op.MULTIPLY_ADD, weights, C, sum);
    }
  }

  private void q6KBlock() {
    code.emit(Op.BROADCAST_HALVES, SCALE_SHORTS, WEIGHTS, Q6_K_SCALES);
    code.emit(Op.SHUFFLE, SCALE_SHORTS, CONSTANT, EVEN_FIRST, SCALE_SHORTS);
    code.emit(Op.BYTES_TO_SHORTS, SCALE_SHORTS, SCALE_SHORTS);
    code.emit(Op.BYTES_TO_INTS, EVEN, WEIGHTS, Q6_K_SCALES);
    code.emit(Op.INTS_TO_FLOATS, EVEN, EVEN);
    code.emit(Op.MULTIPLY, EVEN, X, OFFSETS);
    code.emit(Op.BYTES_TO_INTS, ODD, WEIGHTS, Q6_K_SCALES + SUBS);
    code.emit(Op.INTS_TO_FLOATS, ODD, ODD);
    code.emit(Op.MULTIPLY, ODD, X, OFFSETS + VECTOR);
    for (int half = 0; half < 2; half++) {
      int sub = 4 * half;
      code.load(UPPER, WEIGHTS, Q6_K_UPPER + VECTOR * half);
      code.load(A, WEIGHTS, 2 * VECTOR * half);
      code.load(B, WEIGHTS, 2 * VECTOR * half + VECTOR);
      code.emit(Op.AND, A, NIBBLE, D);
      code.shift(Shift.SHORTS_LEFT, UPPER, 4, C);
      q6KProducts(sub, EVEN);
      code.emit(Op.AND, B, NIBBLE, D);
      code.shift(Shift.SHORTS_LEFT, UPPER, 2, C);
      q6KProducts(sub + 1, ODD);
      code.shift(Shift.SHORTS_RIGHT, A, 4, D);
      code.emit(Op.AND, D, NIBBLE, D);
      code.copy(UPPER, C);
      q6KProducts(sub + 2, EVEN);
      code.shift(Shift.SHORTS_RIGHT, B, 4, D);
      code.emit(Op.AND, D, NIBBLE, D);
      code.shift(Shift.SHORTS_RIGHT, UPPER, 2, C);
      q6KProducts(sub + 3, ODD);
    }
    addBlock(Q6_K_SCALE);
  }

  /** Combines nibbles with the upper bits to quanta, and adds the products of the quanta. */
  private void q6KProducts(int sub, int sum) {
    code.emit(Op.AND, C, OTHER, C);
    code.emit(Op.OR, C, D);
    code.emit(Op.PAIR_PRODUCTS, D, X, SUB * sub, D);
    code.emit(Op.SHUFFLE, SCALE_SHORTS, CONSTANT, SPREAD + VECTOR * sub, C);
    code.emit(Op.PAIR_SUMS, C, D);
    code.emit(Op.INTS_TO_FLOATS, D, D);
    code.broadcast(C, X, STEPS + Float.BYTES * sub);
    code.emit(Op.MULTIPLY_ADD, D, C, sum);
  }

  private void addBlock(int scale) {
    code.emit(Op.ADD, ODD, EVEN);
    half(A, scale);
    code.emit(Op.MULTIPLY_ADD, EVEN, A, SUM);
  }

  private void half(int target, int offset) {
    code.emit(Op.BROADCAST_SHORT, target, WEIGHTS, offset);
    code.emit(Op.HALVES_TO_FLOATS, target, target);
  }
}
