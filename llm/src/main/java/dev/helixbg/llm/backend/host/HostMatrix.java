package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.MemorySegment;

/**
 * A weight matrix, stored row after row, usually in the mapped model file. Unpacked weights and
 * copied rows are stored in separate memory.
 */
public record HostMatrix(TensorType type, int rows, int columns, long rowBytes, MemorySegment data)
    implements Matrix {

  public long address(int row) {
    return data.address() + row * rowBytes;
  }

  /** Writes the exact values of a row to the start of {@code target}. */
  public void read(int row, float[] target) {
    Dequantize.row(type, data, row * rowBytes, columns, target, 0);
  }

  static HostMatrix of(Tensor tensor) {
    return new HostMatrix(
        tensor.type(),
        Math.toIntExact(tensor.rows()),
        Math.toIntExact(tensor.columns()),
        tensor.rowBytes(),
        tensor.data());
  }
}
