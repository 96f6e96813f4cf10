package dev.helixbg.llm.tensor;

import java.util.Arrays;
import java.util.Optional;

/**
 * The element types this engine computes with, by the ids and names of ggml ({@code ggml.h}, {@code
 * enum ggml_type}).
 *
 * <p>A row is stored as whole blocks, one after the other, without padding. A block holds {@link
 * #blockElements} weights in {@link #blockBytes} bytes; {@link Dequantize} tells what they mean.
 */
public enum TensorType {
  F32(0, 1, 4),
  F16(1, 1, 2),
  Q4_0(2, 32, 18),
  Q4_1(3, 32, 20),
  Q5_0(6, 32, 22),
  Q5_1(7, 32, 24),
  Q8_0(8, 32, 34),
  Q4_K(12, 256, 144),
  Q5_K(13, 256, 176),
  Q6_K(14, 256, 210),
  IQ4_NL(20, 32, 18),
  IQ4_XS(23, 256, 136),
  BF16(30, 1, 2);

  private static final TensorType[] ALL = values();

  private final int id;
  private final int blockElements;
  private final int blockBytes;

  TensorType(int id, int blockElements, int blockBytes) {
    this.id = id;
    this.blockElements = blockElements;
    this.blockBytes = blockBytes;
  }

  /**
   * The type with this id.
   *
   * @throws IllegalArgumentException naming the id, and ggml's name for it where it has one
   */
  public static TensorType ofId(int id) {
    for (TensorType type : ALL) {
      if (type.id == id) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "tensor type " + id + " (" + otherName(id).orElse("unknown") + ") is not supported");
  }

  /** What ggml calls the type with this id, or its number where nothing is known of it. */
  public static String nameOf(int id) {
    return Arrays.stream(ALL)
        .filter(type -> type.id == id)
        .map(Enum::name)
        .findAny()
        .or(() -> otherName(id))
        .orElseGet(() -> "type " + Integer.toUnsignedString(id));
  }

  /** Of types that the engine does not compute with. */
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

  /** The id in a GGUF file. */
  public int id() {
    return id;
  }

  /** Weights per block. */
  public int blockElements() {
    return blockElements;
  }

  /** Bytes per block. */
  public int blockBytes() {
    return blockBytes;
  }

  /**
   * The bytes that {@code elements} weights take.
   *
   * @throws IllegalArgumentException if {@code elements} is negative or no whole number of blocks
   * @throws ArithmeticException if the result does not fit a long
   */
  public long bytes(long elements) {
    if (elements < 0 || elements % blockElements != 0) {
      throw new IllegalArgumentException(
          elements + " elements are no whole number of " + this + " blocks of " + blockElements);
    }
    return Math.multiplyExact(elements / blockElements, (long) blockBytes);
  }
}
