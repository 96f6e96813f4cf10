package dev.helixbg.llm.gguf;

/** The types of metadata values; the ordinal is the id in the file. */
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

  private final int leastBytes;

  GgufType(int leastBytes) {
    this.leastBytes = leastBytes;
  }

  /** Returns the minimum size of a value, in bytes. Empty strings and arrays have this size. */
  int leastBytes() {
    return leastBytes;
  }
}
