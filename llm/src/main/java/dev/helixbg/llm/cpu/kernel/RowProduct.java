package dev.helixbg.llm.cpu.kernel;

import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.MemorySegment;

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

    /** Brings {@code columns} floats from byte {@code at} of x on into this order. */
    public void prepare(MemorySegment x, long at, int columns, MemorySegment prepared) {
      switch (this) {
        case PLAIN -> MemorySegment.copy(x, at, prepared, 0, 4L * columns);
        case Q4_K -> Q4KProduct.prepare(x, at, columns, prepared);
        case Q6_K -> Q6KProduct.prepare(x, at, columns, prepared);
      }
    }
  }

  /**
   * Places of a share that are read in turn, row by row. From one place the processor reads ahead
   * too little: with eight, Q4_K came from memory at 8.8 instead of 5.4 GB/s.
   */
  private static final int STREAMS = 8;

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
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}; y begins at byte {@code yAt}.
   *
   * @param weights rows of {@code columns} weights, a multiple of the type's block
   * @param x prepared in {@link #order(TensorType)}, aligned to 64 bytes
   * @param row room for {@code columns} floats
   */
  public static void multiply(
      TensorType type,
      MemorySegment weights,
      int columns,
      MemorySegment x,
      MemorySegment y,
      long yAt,
      int from,
      int to,
      Unpacker unpacker,
      MemorySegment row) {
    if (Lanes.WIDE
        && (type == TensorType.Q4_K || type == TensorType.Q6_K || type == TensorType.Q8_0)) {
      int share = Math.ceilDiv(to - from, STREAMS);
      for (int first = from; first < from + share; first++) {
        for (int r = first; r < to; r += share) {
          row(type, weights, columns, x, y, yAt, r);
        }
      }
      return;
    }
    long bytes = type.bytes(columns);
    for (int r = from; r < to; r++) {
      float sum;
      if (type == TensorType.F32) {
        sum = FloatProduct.dot(weights, r * bytes, x, 0, columns);
      } else {
        unpacker.row(type, weights, r * bytes, columns, row, 0);
        sum = FloatProduct.dot(row, 0, x, 0, columns);
      }
      y.set(Lanes.FLOAT, yAt + 4L * r, sum);
    }
  }

  private static void row(
      TensorType type,
      MemorySegment weights,
      int columns,
      MemorySegment x,
      MemorySegment y,
      long yAt,
      int r) {
    switch (type) {
      case Q4_K -> Q4KProduct.multiply(weights, 0, columns, x, y, yAt, r, r + 1);
      case Q6_K -> Q6KProduct.multiply(weights, 0, columns, x, y, yAt, r, r + 1);
      default -> Q8Product.multiply(weights, 0, columns, x, y, yAt, r, r + 1);
    }
  }
}
