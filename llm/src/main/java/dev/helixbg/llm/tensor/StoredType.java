package dev.helixbg.llm.tensor;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * An element type of a model file. ggml defines the ids and names ({@code ggml.h}, {@code enum
 * ggml_type}). Kernels read a {@link TensorType} as it is stored. A {@link PackedType} is unpacked
 * when a model is opened. A row is stored as whole blocks, without padding.
 */
public sealed interface StoredType permits TensorType, PackedType {
  /**
   * Returns the type that has this id in ggml.
   *
   * @throws IllegalArgumentException if the type is not supported; the message has the id and, if
   *     it is known, ggml's name
   */
  static StoredType ofId(int id) {
    return find(id)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "tensor type %d (%s) is not supported"
                        .formatted(id, otherName(id).orElse("unknown"))));
  }

  /** Returns ggml's name of the type with this id, or its number if no name is known. */
  static String nameOf(int id) {
    return find(id)
        .map(StoredType::toString)
        .or(() -> otherName(id))
        .orElseGet(() -> "type " + Integer.toUnsignedString(id));
  }

  private static Optional<StoredType> find(int id) {
    return Stream.<StoredType>concat(Stream.of(TensorType.values()), Stream.of(PackedType.values()))
        .filter(type -> type.id() == id)
        .findAny();
  }

  private static Optional<String> otherName(int id) {
    return Optional.ofNullable(
        switch (id) {
          case 4, 5 -> "removed from ggml";
          case 9 -> "Q8_1";
          case 10 -> "Q2_K";
          case 11 -> "Q3_K";
          case 15 -> "Q8_K";
          case 16 -> "IQ2_XXS";
          case 17 -> "IQ2_XS";
          case 18 -> "IQ3_XXS";
          case 19 -> "IQ1_S";
          case 21 -> "IQ3_S";
          case 22 -> "IQ2_S";
          case 24 -> "I8";
          case 25 -> "I16";
          case 26 -> "I32";
          case 27 -> "I64";
          case 28 -> "F64";
          case 29 -> "IQ1_M";
          case 34 -> "TQ1_0";
          case 35 -> "TQ2_0";
          case 39 -> "MXFP4";
          default -> null;
        });
  }

  /**
   * @param id the type's id in a GGUF file
   * @param elements number of weights per block
   * @param bytes size of a block, in bytes
   */
  record Block(int id, int elements, int bytes) {}

  Block block();

  default int id() {
    return block().id();
  }

  default int blockElements() {
    return block().elements();
  }

  default int blockBytes() {
    return block().bytes();
  }

  /** Returns the type that kernels read. */
  TensorType computed();

  /**
   * Returns the size of {@code elements} weights, in bytes.
   *
   * @throws IllegalArgumentException if {@code elements} is negative or is not a whole number of
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
