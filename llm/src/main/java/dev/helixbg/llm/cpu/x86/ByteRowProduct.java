package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import dev.helixbg.llm.cpu.kernel.ActivationBytes;
import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.TensorType;
import java.util.Optional;

/**
 * Computes matrix-vector products in bytes with AVX2. The rows have weights of quantised types and
 * are read in place. {@link ActivationBytes} rounds activations in the same way as for prompts, so
 * results differ from the results for prompts only by the order of additions. The Vector API would
 * need at least twice as many instructions, even with vectors of 512 bits.
 */
public record ByteRowProduct(TensorType type, NativeFunction product, boolean halves, float zero)
    implements RowKernel {

  /** Returns a type's kernel; empty if it has none, or if this machine cannot run the kernel. */
  public static Optional<RowKernel> of(TensorType type) {
    if (Lanes.COUNT < 8 || !Lanes.MACHINE_CODE) {
      return Optional.empty();
    }
    return switch (type) {
      case Q8_0 -> kernel(type, RowProductCode.q8(), false, 0);
      case Q4_K -> kernel(type, RowProductCode.nibbles(false), false, 1);
      case Q5_K -> kernel(type, RowProductCode.nibbles(true), false, 1);
      // stored bits are the quanta plus 32
      case Q6_K -> kernel(type, RowProductCode.q6K(), true, 32);
      case F32, F16, BF16 -> Optional.empty();
    };
  }

  private static Optional<RowKernel> kernel(
      TensorType type, byte[] code, boolean halves, float zero) {
    NativeFunction product =
        MachineCode.function(code)
            .orElseThrow(() -> new IllegalStateException("no memory for machine code"));
    return Optional.of(new ByteRowProduct(type, product, halves, zero));
  }

  @Override
  public int floats(int columns) {
    int bytes = isSingle() ? ActivationBytes.SINGLE_BYTES : ActivationBytes.blockBytes(halves);
    return columns / type.blockElements() * bytes / Float.BYTES;
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    if (isSingle()) {
      ActivationBytes.roundSingly(x, columns, prepared);
    } else {
      ActivationBytes.round(x, columns, halves, zero, prepared);
    }
  }

  private boolean isSingle() {
    return type.blockElements() == ActivationBytes.SUB;
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long rowBytes = type.bytes(columns);
    MEMORY.set(LONG, scratch + RowProductCode.NEXT_ROW, (step - 1) * rowBytes);
    MEMORY.set(LONG, scratch + RowProductCode.NEXT_RESULT, 4L * step);
    MEMORY.set(LONG, scratch + RowProductCode.SAME_X, -4L * floats(columns));
    product.call(
        weights + from * rowBytes,
        x,
        y + 4L * from,
        Math.ceilDiv(to - from, step),
        columns / type.blockElements(),
        scratch,
        0,
        0);
  }
}
