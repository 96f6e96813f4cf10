package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;

import dev.helixbg.llm.tensor.TensorType;

/**
 * Matrix × vector for every type: a kernel on the stored rows where there is one, else row by row
 * through an {@link Unpacker}.
 */
public final class RowProduct {

  /** The orders in which kernels want the activations. */
  public enum Order {
    PLAIN,
    PAIRS,
    FOURS,
    Q4_K,
    Q5_K,
    Q6_K,
    Q4_0_INTEGERS,
    Q4_K_INTEGERS,
    Q5_K_INTEGERS,
    Q6_K_INTEGERS;

    /**
     * Whether activations are rounded, so that a product is off by more than sums of floats are.
     */
    public boolean rounds() {
      return compareTo(Q4_0_INTEGERS) >= 0;
    }

    /** Floats that {@link #prepare} writes. */
    public int floats(int columns) {
      return switch (this) {
        case PLAIN, PAIRS -> columns;
        case FOURS -> columns + columns / 8;
        case Q4_K, Q5_K, Q6_K -> columns + columns / 16;
        case Q4_0_INTEGERS -> Q40IntegerProduct.floats(columns);
        case Q4_K_INTEGERS, Q5_K_INTEGERS -> QuantisedRow.floats(columns, 32);
        case Q6_K_INTEGERS -> QuantisedRow.floats(columns, 16);
      };
    }

    /** Brings {@code columns} floats at x into this order. */
    public void prepare(long x, int columns, long prepared) {
      switch (this) {
        case PLAIN -> Vectors.copy(x, columns, prepared);
        case PAIRS -> HalfProduct.prepare(x, columns, prepared);
        case FOURS -> FourBlocks.prepare(x, columns, prepared);
        case Q4_K -> Q4KProduct.prepare(x, columns, prepared);
        case Q5_K -> Q5KProduct.prepare(x, columns, prepared);
        case Q6_K -> Q6KProduct.prepare(x, columns, prepared);
        case Q4_0_INTEGERS -> Q40IntegerProduct.prepare(x, columns, prepared);
        case Q4_K_INTEGERS ->
            QuantisedRow.quantise(x, columns, 32, Q4KIntegerProduct.LIMIT, prepared);
        case Q5_K_INTEGERS ->
            QuantisedRow.quantise(x, columns, 32, Q5KIntegerProduct.LIMIT, prepared);
        case Q6_K_INTEGERS ->
            QuantisedRow.quantise(x, columns, 16, Q6KIntegerProduct.LIMIT, prepared);
      }
    }
  }

  /**
   * Rows per call of a kernel: a loop that runs for milliseconds is compiled while it runs, from
   * its middle, and comes out slower than a method that was compiled from its start.
   */
  private static final int ROWS_PER_CALL = 64;

  private RowProduct() {}

  /** The order that {@link #multiply} wants for rows of {@code columns} weights of a type. */
  public static Order order(TensorType type, int columns) {
    return switch (type) {
      case F16, BF16 -> Order.PAIRS;
      case F32, Q8_0 -> Order.PLAIN;
      default -> Lanes.WIDE ? wideOrder(type, columns) : narrowOrder(type, columns);
    };
  }

  private static Order wideOrder(TensorType type, int columns) {
    return switch (type) {
      case Q4_K -> Order.Q4_K;
      case Q5_K -> Order.Q5_K;
      case Q6_K -> Order.Q6_K;
      default -> columns % FourBlocks.WEIGHTS == 0 ? Order.FOURS : Order.PLAIN;
    };
  }

  private static Order narrowOrder(TensorType type, int columns) {
    return switch (type) {
      case Q4_K -> Order.Q4_K_INTEGERS;
      case Q5_K -> Order.Q5_K_INTEGERS;
      case Q6_K -> Order.Q6_K_INTEGERS;
      case Q4_0 -> columns % Q40IntegerProduct.WEIGHTS == 0 ? Order.Q4_0_INTEGERS : Order.PLAIN;
      default -> Order.PLAIN;
    };
  }

  /**
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of the type's block
   * @param x prepared in {@link #order}, aligned to 64 bytes
   * @param row room for {@code columns} floats
   */
  public static void multiply(
      TensorType type,
      long weights,
      int columns,
      long x,
      long y,
      int from,
      int to,
      Unpacker unpacker,
      long row) {
    if (type != TensorType.Q8_0 && order(type, columns) == Order.PLAIN) {
      unpacked(type, weights, columns, x, y, from, to, unpacker, row);
      return;
    }
    // Row after row: the processor fetches ahead along one stream of memory, and loses several.
    for (int first = from; first < to; first += ROWS_PER_CALL) {
      int end = Math.min(to, first + ROWS_PER_CALL);
      if (Lanes.WIDE || type == TensorType.F16 || type == TensorType.BF16) {
        wide(type, weights, columns, x, y, first, end);
      } else {
        narrow(type, weights, columns, x, y, first, end, 1, row);
      }
    }
  }

  private static void wide(
      TensorType type, long weights, int columns, long x, long y, int from, int to) {
    switch (type) {
      case F16 -> HalfProduct.multiplyF16(weights, columns, x, y, from, to);
      case BF16 -> HalfProduct.multiplyBf16(weights, columns, x, y, from, to);
      case Q4_0 -> NibbleProduct.multiply(weights, columns, x, NibbleProduct.LINEAR, y, from, to);
      case IQ4_NL ->
          NibbleProduct.multiply(weights, columns, x, NibbleProduct.NON_LINEAR, y, from, to);
      case IQ4_XS -> Iq4XsProduct.multiply(weights, columns, x, y, from, to);
      case Q8_0 -> Q8Product.multiply(weights, columns, x, y, from, to);
      case Q4_K -> Q4KProduct.multiply(weights, columns, x, y, from, to);
      case Q5_K -> Q5KProduct.multiply(weights, columns, x, y, from, to);
      case Q6_K -> Q6KProduct.multiply(weights, columns, x, y, from, to);
      case Q4_1 -> FifthBitProduct.multiplyQ41(weights, columns, x, y, from, to);
      case Q5_0 -> FifthBitProduct.multiplyQ50(weights, columns, x, y, from, to);
      case Q5_1 -> FifthBitProduct.multiplyQ51(weights, columns, x, y, from, to);
      case F32 -> throw new IllegalArgumentException(type + " in place");
    }
  }

  private static void narrow(
      TensorType type,
      long weights,
      int columns,
      long x,
      long y,
      int from,
      int to,
      int step,
      long scratch) {
    switch (type) {
      case Q4_0 -> Q40IntegerProduct.multiply(weights, columns, x, y, from, to, step);
      case Q8_0 -> Q8NarrowProduct.multiply(weights, columns, x, y, from, to, step);
      case Q4_K -> Q4KIntegerProduct.multiply(weights, columns, x, y, from, to, step, scratch);
      case Q5_K -> Q5KIntegerProduct.multiply(weights, columns, x, y, from, to, step, scratch);
      case Q6_K -> Q6KIntegerProduct.multiply(weights, columns, x, y, from, to, step, scratch);
      default -> throw new IllegalArgumentException(type + " in place");
    }
  }

  private static void unpacked(
      TensorType type,
      long weights,
      int columns,
      long x,
      long y,
      int from,
      int to,
      Unpacker unpacker,
      long row) {
    long bytes = type.bytes(columns);
    for (int r = from; r < to; r++) {
      float sum;
      if (type == TensorType.F32) {
        sum = FloatProduct.dot(weights + r * bytes, x, columns);
      } else {
        unpacker.row(type, weights + r * bytes, columns, row);
        sum = FloatProduct.dot(row, x, columns);
      }
      MEMORY.set(Lanes.FLOAT, y + 4L * r, sum);
    }
  }
}
