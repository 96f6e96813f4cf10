package dev.helixbg.llm.cpu.kernel.row;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.tensor.TensorType;

/** Matrix × vector for every type, in the order of rows that a processor reads fastest. */
public final class RowProduct {
  /**
   * Rows per call of a kernel: a loop that runs for milliseconds is compiled while it runs, from
   * its middle, and comes out slower than a method that was compiled from its start.
   */
  private static final int ROWS_PER_CALL = 64;

  private static final int PAGE = 4096;

  private RowProduct() {}

  /**
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of the type's block
   * @param x prepared by {@link RowKernel#prepare}, aligned to 64 bytes
   * @param streams places, far from each other, between which rows are taken in turn: processors
   *     differ in how they fetch memory ahead. The result is the same.
   * @param own the calling thread's
   */
  public static void multiply(
      TensorType type,
      long weights,
      int columns,
      long x,
      long y,
      int from,
      int to,
      int streams,
      Unpacker own) {
    RowKernel kernel = RowKernels.of(type, columns);
    if (streams == 1 || !kernel.streams()) {
      for (int first = from; first < to; first += ROWS_PER_CALL) {
        int end = Math.min(to, first + ROWS_PER_CALL);
        kernel.multiply(weights, columns, x, y, first, end, 1, own);
      }
      return;
    }
    int apart = Math.ceilDiv(to - from, streams);
    if (type.bytes(columns) * apart % PAGE == 0) {
      apart++; // streams a multiple of this apart would share one set of the first-level cache
    }
    for (int first = 0; first < apart && from + first < to; first++) {
      kernel.multiply(weights, columns, x, y, from + first, to, apart, own);
    }
  }
}
