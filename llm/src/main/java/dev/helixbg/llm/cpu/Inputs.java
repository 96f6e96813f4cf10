package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.RowProduct;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One vector of activations in the orders that the kernels of the matrices' types want, each made
 * once however many matrices share it.
 */
final class Inputs {
  private final Arena arena;
  private final MemorySegment[] prepared = new MemorySegment[RowProduct.Order.values().length];
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

  /** Brings it into the order for a type. */
  void prepare(TensorType type) {
    RowProduct.Order order = RowProduct.order(type, columns);
    int i = order.ordinal();
    if (ready[i]) {
      return;
    }
    ready[i] = true;
    prepared[i] = Scratch.grown(arena, prepared[i], order.floats(columns));
    order.prepare(x, columns, prepared[i].address());
  }

  /** What {@link #prepare} made for this type. */
  long of(TensorType type) {
    return prepared[RowProduct.order(type, columns).ordinal()].address();
  }
}
