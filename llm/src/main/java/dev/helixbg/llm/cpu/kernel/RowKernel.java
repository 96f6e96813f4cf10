package dev.helixbg.llm.cpu.kernel;

/**
 * Matrix × vector for the stored rows of one type. The table of all of them knows its kernels, and
 * none of them knows the table.
 *
 * <p>Places are addresses, those of activations aligned to 64 bytes.
 */
public interface RowKernel {
  /** Floats that {@link #prepare} writes: fewer than columns if it rounds them to integers. */
  default int floats(int columns) {
    return columns;
  }

  /** Brings {@code columns} floats at x into the order in which the kernel meets its weights. */
  default void prepare(long x, int columns, long prepared) {
    VectorOps.copy(x, columns, prepared);
  }

  /** Whether it gains by rows that are taken in turn between places far from each other. */
  default boolean streams() {
    return true;
  }

  /**
   * {@code y[r] = W[r] · x} for rows r = {@code from}, {@code from + step} and so on below {@code
   * to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of the type's block
   * @param x what {@link #prepare} wrote
   * @param own the calling thread's: memory for a row, and what unpacks one
   */
  void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own);
}
