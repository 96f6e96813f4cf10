package dev.helixbg.llm.tensor;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * An element type of a model file, by the ids and names of ggml ({@code ggml.h}, {@code enum
 * ggml_type}): kernels read a {@link TensorType} as it is stored; a {@link PackedType} is unpacked
 * when a model is opened.
 *
 * <p>A row is stored as whole blocks, one after the other, without padding. A block holds {@link
 * #blockElements} weights in {@link #blockBytes} bytes.
 */
public sealed interface StoredType permits TensorType, PackedType {
  /**
   * The type with this id.
   *
   * @throws IllegalArgumentException for another one
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
   * How a type is stored.
   *
   * @param id in a GGUF file
   * @param elements weights per block
   * @param bytes per block
   */
  record Block(int id, int elements, int bytes) {}

  Block block();

  /** The id in a GGUF file. */
  default int id() {
    return block().id();
  }

  /** Weights per block. */
  default int blockElements() {
    return block().elements();
  }

  /** Bytes per block. */
  default int blockBytes() {
    return block().bytes();
  }

  /** The type that kernels see. */
  TensorType computed();

  /**
   * The bytes that {@code elements} weights take.
   *
   * @throws IllegalArgumentException if {@code elements} is negative or no whole number of blocks
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
