package dev.helixbg.insight.log;

/**
 * The fixed bytes at the start of a record, see {@link DataLog}.
 *
 * @param topicLength length of the topic in bytes, 0 to 255; 0 for a delete
 * @param bodyLength length of the body in bytes, unsigned; 0 for a delete
 * @param value an entry's time in minutes, or the offset that a delete names; unsigned
 */
record RecordHeader(int offset, boolean entry, int topicLength, long bodyLength, int value) {
  static final int ENTRY = 1;
  static final int DELETE = 2;
  static final int ENTRY_BYTES = 12;
  static final int DELETE_BYTES = 8;

  /**
   * Reads a header. The result is null if the type is unknown, if a byte that must be zero is not
   * zero, or if the file ends within the header.
   */
  static RecordHeader parse(byte[] log, int offset) {
    int available = log.length - offset;
    if (available >= ENTRY_BYTES && log[offset] == ENTRY) {
      return (log[offset + 10] | log[offset + 11]) != 0
          ? null
          : new RecordHeader(
              offset,
              true,
              log[offset + 1] & 0xff,
              Integer.toUnsignedLong(int32(log, offset + 2)),
              int32(log, offset + 6));
    }
    if (available >= DELETE_BYTES && log[offset] == DELETE) {
      return (log[offset + 1] | log[offset + 2] | log[offset + 3]) != 0
          ? null
          : new RecordHeader(offset, false, 0, 0, int32(log, offset + 4));
    }
    return null;
  }

  /** Returns the offset after the record, computed from the lengths that the header states. */
  long end() {
    return offset + (entry ? ENTRY_BYTES + topicLength + bodyLength : DELETE_BYTES);
  }

  long target() {
    return Integer.toUnsignedLong(value);
  }

  private static int int32(byte[] bytes, int index) {
    return (bytes[index] & 0xff)
        | (bytes[index + 1] & 0xff) << 8
        | (bytes[index + 2] & 0xff) << 16
        | bytes[index + 3] << 24;
  }
}
