package dev.helixbg.llm.cpu.kernel.row;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.Vectors;
import dev.helixbg.llm.tensor.TensorType;

/** Matrix × vector for types without a kernel: row by row through an {@link Unpacker}. */
record UnpackedProduct(TensorType type) implements RowKernel {
  @Override
  public boolean streams() {
    return false;
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    long bytes = type.bytes(columns);
    long room = own.room(columns);
    for (int r = from; r < to; r += step) {
      long row = weights + r * bytes;
      if (type != TensorType.F32) {
        own.row(type, row, columns, room);
        row = room;
      }
      MEMORY.set(FLOAT, y + 4L * r, Vectors.dot(row, x, columns));
    }
  }
}
