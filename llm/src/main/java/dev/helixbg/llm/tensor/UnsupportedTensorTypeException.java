package dev.helixbg.llm.tensor;

/** A tensor has an element type that this engine does not compute with, or that nobody knows. */
public final class UnsupportedTensorTypeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int id;

  UnsupportedTensorTypeException(int id) {
    super("tensor type " + id + " (" + nameIn(id) + ") is not supported");
    this.id = id;
  }

  /** The id as it stood in the file. */
  public int id() {
    return id;
  }

  private static String nameIn(int id) {
    return switch (id) {
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
      default -> "unknown";
    };
  }
}
