package dev.helixbg.llm.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A tensor in a model file.
 *
 * @param stored element type of {@code data}; backends accept only a {@link TensorType}
 * @param shape one to four sizes; the first dimension is contiguous in memory, so a matrix is
 *     {@code [columns, rows]}
 * @param data the tensor's bytes, read-only, valid while the file is open
 */
public record Tensor(String name, StoredType stored, List<Long> shape, MemorySegment data) {
  public TensorType type() {
    return stored.computed();
  }

  public long columns() {
    return shape.getFirst();
  }

  public long rows() {
    return shape.stream().skip(1).reduce(1L, Math::multiplyExact);
  }

  /** Returns the size of one row in {@link #type}, in bytes. */
  public long rowBytes() {
    return type().bytes(columns());
  }
}
