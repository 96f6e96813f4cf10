package dev.helixbg.llm.gguf;

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
