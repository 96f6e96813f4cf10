package dev.helixbg.llm.gguf;

/**
 * A metadata array, still in the file: its bounds are checked, its elements are read when asked
 * for.
 *
 * @param elements at the first element
 * @param starts of strings, where each begins behind the first element's place, and where one more
 *     would; else null
 */
public record GgufArray(GgufType elementType, int count, GgufCursor elements, int[] starts) {

  /**
   * The elements of an array of strings.
   *
   * @throws GgufException if they are no strings
   */
  public GgufStrings strings() {
    expect(starts != null, "strings");
    return new GgufStrings(elements.copy().bytes(starts[count] - Long.BYTES), starts);
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
