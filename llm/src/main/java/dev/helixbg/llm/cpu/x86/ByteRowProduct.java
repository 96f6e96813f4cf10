package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import dev.helixbg.llm.cpu.kernel.ActivationBytes;
import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.TensorType;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Matrix × vector in bytes, for rows of quantised types in place, by AVX2: activations are rounded
 * as prompts' are ({@link ActivationBytes}), so both differ by the order of their sums alone. The
 * Vector API wants twice as many instructions or more, also with vectors of 512 bits.
 */
public final class ByteRowProduct implements RowKernel {
  private static final boolean APPLIES =
      Lanes.COUNT >= 8 && MachineCode.runs("avx2") && MachineCode.has("fma", "f16c");

  private static final Optional<RowKernel> Q8_0 =
      kernel(TensorType.Q8_0, RowProductCode::q8, false, 0);
  private static final Optional<RowKernel> Q4_K =
      kernel(TensorType.Q4_K, RowProductCode::q4K, false, 1);
  private static final Optional<RowKernel> Q5_K =
      kernel(TensorType.Q5_K, RowProductCode::q5K, false, 1);

  /** Six bits are 32 more than their quanta. */
  private static final Optional<RowKernel> Q6_K =
      kernel(TensorType.Q6_K, RowProductCode::q6K, true, 32);

  private final TensorType type;
  private final NativeFunction product;
  private final boolean halves;
  private final float zero;

  private ByteRowProduct(TensorType type, NativeFunction product, boolean halves, float zero) {
    this.type = type;
    this.product = product;
    this.halves = halves;
    this.zero = zero;
  }

  private static Optional<RowKernel> kernel(
      TensorType type, Supplier<byte[]> code, boolean halves, float zero) {
    return APPLIES
        ? MachineCode.function(code.get())
            .map(function -> new ByteRowProduct(type, function, halves, zero))
        : Optional.empty();
  }

  /** The one for a type, if there is one and the processor and the system let us use it. */
  public static Optional<RowKernel> of(TensorType type) {
    return switch (type) {
      case Q8_0 -> Q8_0;
      case Q4_K -> Q4_K;
      case Q5_K -> Q5_K;
      case Q6_K -> Q6_K;
      case F32, F16, BF16 -> Optional.empty();
    };
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

  /** Whether a block has one scale. */
  private boolean isSingle() {
    return type.blockElements() == ActivationBytes.SUB;
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    if (from >= to) {
      return; // the loop counts rows down to none
    }
    long rowBytes = type.bytes(columns);
    long room = own.room(columns);
    MEMORY.set(LONG, room + RowProductCode.NEXT_ROW, (step - 1) * rowBytes);
    MEMORY.set(LONG, room + RowProductCode.NEXT_RESULT, 4L * step);
    MEMORY.set(LONG, room + RowProductCode.SAME_X, -4L * floats(columns));
    product.call(
        weights + from * rowBytes,
        x,
        y + 4L * from,
        Math.ceilDiv(to - from, step),
        columns / type.blockElements(),
        room,
        0,
        0);
  }
}
