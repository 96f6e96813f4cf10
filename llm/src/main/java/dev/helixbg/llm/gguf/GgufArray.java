package dev.helixbg.llm.gguf;

/**
 * An array in the metadata of a GGUF file. Its bounds are checked; its elements are read on
 * request.
 *
 * @param elements cursor at the first element
 * @param starts for an array of strings, the result of {@link GgufCursor#skipStrings}; null for
 *     other arrays
 */
public record GgufArray(GgufType elementType, int count, GgufCursor elements, int[] starts) {

  /**
   * @throws GgufException if the elements are not strings
   */
  public GgufStrings strings() {
    expect(starts != null, "strings");
    return new GgufStrings(elements.copy().bytes(starts[count] - Long.BYTES), starts);
  }

  /**
   * @throws GgufException if the elements are neither INT32 nor UINT32
   */
  public int[] ints() {
    expect(elementType == GgufType.INT32 || elementType == GgufType.UINT32, "32-bit integers");
    return elements.copy().int32s(count);
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
