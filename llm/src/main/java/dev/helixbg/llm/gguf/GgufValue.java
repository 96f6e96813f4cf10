package dev.helixbg.llm.gguf;

/** A metadata value. */
public sealed interface GgufValue
    permits GgufValue.Whole, GgufValue.Real, GgufValue.Flag, GgufValue.Text, GgufValue.GgufArray {

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

  /**
   * A metadata array, still in the file: its bounds are checked, its elements are read when asked
   * for.
   *
   * @param elements at the first element
   * @param bytes of all elements
   */
  public record GgufArray(GgufType elementType, int count, GgufCursor elements, int bytes)
      implements GgufValue {

    /**
     * The elements of an array of strings.
     *
     * @throws GgufException if they are no strings, or one of them is not UTF-8
     */
    public GgufStrings strings() {
      expect(elementType == GgufType.STRING, "strings");
      return GgufStrings.read(elements, count, bytes);
    }

    /**
     * The elements of an array of INT32 or UINT32.
     *
     * @throws GgufException if they are none
     */
    public int[] ints() {
      expect(isOfInts(), "32-bit integers");
      return elements.copy().int32s(count);
    }

    /** Whether {@link #ints} may be asked. */
    public boolean isOfInts() {
      return elementType == GgufType.INT32 || elementType == GgufType.UINT32;
    }

    private void expect(boolean holds, String wanted) {
      if (!holds) {
        throw elements.error("an array of " + wanted + " is expected, not of " + elementType);
      }
    }

    @Override
    public String toString() {
      return count + " × " + elementType;
    }
  }

  /** The types of metadata values; the place in this list is the id in the file. */
  public enum GgufType {
    UINT8(1),
    INT8(1),
    UINT16(2),
    INT16(2),
    UINT32(4),
    INT32(4),
    FLOAT32(4),
    BOOL(1),
    STRING(8),
    ARRAY(12),
    UINT64(8),
    INT64(8),
    FLOAT64(8);

    private static final GgufType[] ALL = values();

    private final int leastBytes;

    GgufType(int leastBytes) {
      this.leastBytes = leastBytes;
    }

    /** Bytes of a value in the file; of a string or an array, those of an empty one. */
    int leastBytes() {
      return leastBytes;
    }

    /** Null if no type has this id. */
    static GgufType ofId(int id) {
      return id >= 0 && id < ALL.length ? ALL[id] : null;
    }
  }
}
