package dev.helixbg.llm.gguf;

/** A metadata value. */
public sealed interface GgufValue
    permits GgufValue.Whole, GgufValue.Real, GgufValue.Flag, GgufValue.Text, GgufArray {

  /** Any of the integer types; {@code type} tells how to read {@code value}. */
  record Whole(GgufType type, long value) implements GgufValue {
    @Override
    public String toString() {
      return type == GgufType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
    }
  }

  /** A FLOAT32 or FLOAT64. */
  record Real(GgufType type, double value) implements GgufValue {
    @Override
    public String toString() {
      return type == GgufType.FLOAT32 ? Float.toString((float) value) : Double.toString(value);
    }
  }

  /** A BOOL. */
  record Flag(boolean value) implements GgufValue {
    @Override
    public String toString() {
      return Boolean.toString(value);
    }
  }

  /** A STRING. */
  record Text(String value) implements GgufValue {
    @Override
    public String toString() {
      return value;
    }
  }
}
