package dev.helixbg.llm.gguf;

import java.util.ArrayList;
import java.util.List;

/**
 * A metadata array, still in the file: its bounds are checked, its elements are read when asked
 * for.
 */
public final class GgufArray implements GgufValue {
  private final GgufType elementType;
  private final int count;
  private final GgufCursor elements;

  /** {@code elements} stands at the first element. */
  GgufArray(GgufType elementType, int count, GgufCursor elements) {
    this.elementType = elementType;
    this.count = count;
    this.elements = elements;
  }

  public GgufType elementType() {
    return elementType;
  }

  public int count() {
    return count;
  }

  /**
   * The elements of an array of strings.
   *
   * @throws GgufException if they are no strings, or one of them is not UTF-8
   */
  public List<String> strings() {
    expect(elementType == GgufType.STRING, "strings");
    GgufCursor cursor = elements.copy();
    List<String> strings = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      strings.add(cursor.string());
    }
    return strings;
  }

  /**
   * The elements of an array of INT32 or UINT32.
   *
   * @throws GgufException if they are none
   */
  public int[] ints() {
    expect(elementType == GgufType.INT32 || elementType == GgufType.UINT32, "32-bit integers");
    GgufCursor cursor = elements.copy();
    int[] ints = new int[count];
    for (int i = 0; i < count; i++) {
      ints[i] = cursor.int32();
    }
    return ints;
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
