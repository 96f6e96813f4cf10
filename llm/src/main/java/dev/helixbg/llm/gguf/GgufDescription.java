package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.TensorType;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the head of a GGUF file says, of any architecture and with any element types, whether it can
 * be run here or not.
 *
 * @param version 2 or 3
 * @param alignment of the tensors' data, in bytes
 * @param dataStart byte offset of the data
 * @param metadata valid as long as the file is mapped
 * @param tensors in the file's order
 */
public record GgufDescription(
    int version, int alignment, long dataStart, GgufMetadata metadata, List<TensorEntry> tensors) {

  /**
   * A tensor as it is described.
   *
   * @param typeId of its elements, by ggml's numbers; see {@link TensorType}
   * @param shape one to four sizes, the fastest running first
   * @param offset in bytes, from the start of the data
   * @param typeAt where the file has the type
   */
  public record TensorEntry(String name, int typeId, List<Long> shape, long offset, long typeAt) {

    long elements() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }

    /** Where the file has the offset. */
    long offsetAt() {
      return typeAt + Integer.BYTES;
    }

    /** The element type's name, or its number where it has none that is known here. */
    public String typeName() {
      return TensorType.nameOf(typeId);
    }

    /** The bytes of the data; empty where the element type is not known here, or does not fit. */
    public OptionalLong bytes() {
      try {
        return OptionalLong.of(TensorType.ofId(typeId).bytes(elements()));
      } catch (IllegalArgumentException | ArithmeticException e) {
        return OptionalLong.empty();
      }
    }
  }

  /**
   * Reads the head of a mapped file, which stays the caller's.
   *
   * @throws GgufException if it is no GGUF file, or its head is damaged
   */
  public static GgufDescription of(MappedFile mapped) {
    return GgufParser.describe(mapped.path().toString(), mapped.bytes());
  }
}
