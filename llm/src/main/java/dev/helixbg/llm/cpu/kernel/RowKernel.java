package dev.helixbg.llm.cpu.kernel;

/**
 * A kernel that multiplies a matrix with a vector, for stored rows of one type. Weights, vectors
 * and scratch memory are passed as addresses. Vectors are aligned to 64 bytes.
 */
public interface RowKernel {
  /**
   * Returns the size of the vector that {@link #prepare} writes, in units of 4 bytes (floats). If
   * {@code prepare} rounds to integers, the size is less than {@code columns}.
   */
  default int floats(int columns) {
    return columns;
  }

  /** Copies {@code columns} floats at x into the order or form that the kernel needs. */
  default void prepare(long x, int columns, long prepared) {
    VectorOps.copy(x, columns, prepared);
  }

  /** Returns whether the kernel is faster when it alternates between rows that are far apart. */
  default boolean streams() {
    return true;
  }

  /**
   * Computes {@code y[r] = W[r] · x} for every {@code step}-th row r. The first row is {@code
   * from}, and all rows are below {@code to}. {@code from} must be less than {@code to}.
   *
   * @param weights stored rows of {@code columns} weights; {@code columns} is a multiple of the
   *     type's block size
   * @param x vector written by {@link #prepare}
   * @param scratch memory of the calling thread, with room for {@code columns} floats, aligned to
   *     64 bytes
   */
  void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch);
}
