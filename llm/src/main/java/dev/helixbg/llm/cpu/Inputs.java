package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One vector of activations as the kernels of the matrices' types want it, made once for each type
 * however many matrices share it.
 */
final class Inputs {
  private final Arena arena;
  private final MemorySegment[] prepared = new MemorySegment[TensorType.values().length];
  private final boolean[] ready = new boolean[prepared.length];
  private long x;
  private int columns;

  Inputs(Arena arena) {
    this.arena = arena;
    Arrays.fill(prepared, MemorySegment.NULL);
  }

  /** Sets the vector: {@code columns} floats at address {@code x}. */
  void of(long x, int columns) {
    this.x = x;
    this.columns = columns;
    Arrays.fill(ready, false);
  }

  /** Makes it ready for a type. */
  void prepare(TensorType type) {
    int i = type.ordinal();
    if (ready[i]) {
      return;
    }
    ready[i] = true;
    RowKernel kernel = RowKernels.of(type, columns);
    prepared[i] = Scratch.grown(arena, prepared[i], kernel.floats(columns));
    kernel.prepare(x, columns, prepared[i].address());
  }

  /** What {@link #prepare} made for this type. */
  long of(TensorType type) {
    return prepared[type.ordinal()].address();
  }
}
