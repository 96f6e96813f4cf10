package dev.helixbg.llm.tensor;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * An element type of a model file, with the ids and names of ggml ({@code ggml.h}, {@code enum
 * ggml_type}). Kernels read a {@link TensorType} directly; a {@link PackedType} is unpacked when a
 * model is opened.
 *
 * <p>A row is stored as whole blocks, one after the other, without padding. A block has {@link
 * #blockElements} weights in {@link #blockBytes} bytes.
 */
public sealed interface StoredType permits TensorType, PackedType {
  /**
   * Returns the type with an id.
   *
   * @throws IllegalArgumentException if the type is not supported
   */
  static StoredType ofId(int id) {
    return Stream.<StoredType>concat(
            Arrays.stream(TensorType.values()), Arrays.stream(PackedType.values()))
        .filter(type -> type.id() == id)
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "tensor type %d of ggml is not supported: take the model as Q4_K_M or Q8_0"
                        .formatted(id)));
  }

  /**
   * Storage of a type.
   *
   * @param id id in a GGUF file
   * @param elements number of weights per block
   * @param bytes number of bytes per block
   */
  record Block(int id, int elements, int bytes) {}

  Block block();

  /** Returns the id in a GGUF file. */
  default int id() {
    return block().id();
  }

  /** Returns the number of weights per block. */
  default int blockElements() {
    return block().elements();
  }

  /** Returns the number of bytes per block. */
  default int blockBytes() {
    return block().bytes();
  }

  /** Returns the type that kernels read. */
  TensorType computed();

  /**
   * Returns the size of {@code elements} weights, in bytes.
   *
   * @throws IllegalArgumentException if {@code elements} is negative or not a whole number of
   *     blocks
   * @throws ArithmeticException if the result does not fit a long
   */
  default long bytes(long elements) {
    if (elements < 0 || elements % blockElements() != 0) {
      throw new IllegalArgumentException(
          elements + " elements are no whole number of " + this + " blocks of " + blockElements());
    }
    return Math.multiplyExact(elements / blockElements(), (long) blockBytes());
  }
}
