package dev.helixbg.llm.cpu.kernel.row;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.narrow.NibbleIntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q6KIntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q8NarrowProduct;
import dev.helixbg.llm.cpu.x86.ByteRowProduct;
import dev.helixbg.llm.tensor.TensorType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Multiplies matrices with vectors. Chooses the kernel for the type of the weights, and the order
 * in which rows are read.
 */
public final class RowKernels {
  /**
   * Number of rows per call of a kernel. If a loop runs for milliseconds, the JIT compiles the loop
   * before it ends (on-stack replacement). That code is slower than the code of a whole compiled
   * method.
   */
  private static final int ROWS_PER_CALL = 64;

  private static final int PAGE = 4096;

  private static final Map<TensorType, RowKernel> KERNELS = new ConcurrentHashMap<>();

  private RowKernels() {}

  public static RowKernel of(TensorType type) {
    RowKernel known = KERNELS.get(type); // takes no lock, unlike computeIfAbsent
    return known != null
        ? known
        : KERNELS.computeIfAbsent(
            type, t -> ByteRowProduct.of(t).orElseGet(() -> withoutMachineCode(t)));
  }

  /**
   * Computes {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}; see {@link
   * RowKernel#multiply}.
   *
   * @param streams number of distant regions of the matrix between which reading alternates, row by
   *     row. Which number is fastest depends on how the processor prefetches.
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
      long scratch) {
    RowKernel kernel = of(type);
    if (streams == 1 || !kernel.streams()) {
      for (int first = from; first < to; first += ROWS_PER_CALL) {
        int end = Math.min(to, first + ROWS_PER_CALL);
        kernel.multiply(weights, columns, x, y, first, end, 1, scratch);
      }
      return;
    }
    int apart = Math.ceilDiv(to - from, streams);
    if (type.bytes(columns) * apart % PAGE == 0) {
      apart++; // otherwise all streams would share one set of the first-level cache
    }
    for (int first = 0; first < apart && from + first < to; first++) {
      kernel.multiply(weights, columns, x, y, from + first, to, apart, scratch);
    }
  }

  private static RowKernel withoutMachineCode(TensorType type) {
    return switch (type) {
      case F32 -> new FloatProduct();
      case F16 -> new HalfProduct(false);
      case BF16 -> new HalfProduct(true);
      case Q8_0 -> new Q8NarrowProduct();
      case Q4_K -> new NibbleIntegerProduct(false);
      case Q5_K -> new NibbleIntegerProduct(true);
      case Q6_K -> new Q6KIntegerProduct();
    };
  }

  private record FloatProduct() implements RowKernel {
    @Override
    public boolean streams() {
      return false;
    }

    @Override
    public void multiply(
        long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
      for (int r = from; r < to; r += step) {
        MEMORY.set(FLOAT, y + 4L * r, VectorOps.dot(weights + 4L * r * columns, x, columns));
      }
    }
  }
}
