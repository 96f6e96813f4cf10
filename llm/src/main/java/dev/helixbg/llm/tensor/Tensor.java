package dev.helixbg.llm.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Weights as they lie in a model file: a name, an element type, a shape, and the bytes.
 *
 * @param name as in the file
 * @param stored type of the bytes; backends take tensors of a {@link TensorType} only
 * @param shape one to four sizes, the fastest running first: a matrix is {@code [columns, rows]}
 * @param data exactly the tensor's bytes, read-only, alive as long as the file is open
 */
public record Tensor(String name, StoredType stored, List<Long> shape, MemorySegment data) {
  public Tensor {
    shape = List.copyOf(shape);
  }

  /** Type that kernels see. */
  public TensorType type() {
    return stored.computed();
  }

  /** Elements of one row. */
  public long columns() {
    return shape.getFirst();
  }

  /** All sizes but the first, multiplied. */
  public long rows() {
    return shape.stream().skip(1).reduce(1L, Math::multiplyExact);
  }

  /** Bytes of one row of {@link #type}. */
  public long rowBytes() {
    return type().bytes(columns());
  }
}
