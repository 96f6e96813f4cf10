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
    Q4_K,
    Q6_K;

    /** Floats that {@link #prepare} writes. */
    public int floats(int columns) {
      return this == PLAIN ? columns : columns + columns / 16;
    }

    /** Brings {@code columns} floats at x into this order. */
    public void prepare(long x, int columns, long prepared) {
      switch (this) {
        case PLAIN -> Vectors.copy(x, columns, prepared);
        case Q4_K -> Q4KProduct.prepare(x, columns, prepared);
        case Q6_K -> Q6KProduct.prepare(x, columns, prepared);
      }
    }
  }

  /**
   * Rows per call of a kernel: a loop that runs for milliseconds is compiled while it runs, from
   * its middle, and comes out slower than a method that was compiled from its start.
   */
  private static final int ROWS_PER_CALL = 64;

  private RowProduct() {}

  /** The order that {@link #multiply} wants for a type. */
  public static Order order(TensorType type) {
    if (!Lanes.WIDE) {
      return Order.PLAIN;
    }
    return switch (type) {
      case Q4_K -> Order.Q4_K;
      case Q6_K -> Order.Q6_K;
      default -> Order.PLAIN;
    };
  }

  /**
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of the type's block
   * @param x prepared in {@link #order(TensorType)}, aligned to 64 bytes
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
    if (Lanes.WIDE && inPlace(type)) {
      // Row after row: the processor fetches ahead along one stream of memory, and loses several.
      for (int first = from; first < to; first += ROWS_PER_CALL) {
        int end = Math.min(to, first + ROWS_PER_CALL);
        switch (type) {
          case Q4_K -> Q4KProduct.multiply(weights, columns, x, y, first, end);
          case Q6_K -> Q6KProduct.multiply(weights, columns, x, y, first, end);
          default -> Q8Product.multiply(weights, columns, x, y, first, end);
        }
      }
      return;
    }
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

  /** Whether there is a kernel that reads this type's stored rows. */
  private static boolean inPlace(TensorType type) {
    return type == TensorType.Q4_K || type == TensorType.Q6_K || type == TensorType.Q8_0;
  }
}
