package dev.helixbg.insight.log;

import java.util.List;

/**
 * Account of one reading of a data.log: it counts every byte of the file as header, record or
 * damage. The {@code unreadable} bytes of all damage are those that were lost.
 *
 * @param bytes length of the file when it was read
 * @param sha256 of those bytes, in hex: two readings with the same hash saw the same log
 * @param entries entry records read, deleted ones included
 * @param deletes delete records read, those without a target included
 * @param live entries left after the deletes
 * @param damage by offset; empty for a sound log; at most 1,000, of which the last then stands for
 *     all that follow
 */
public record LogAccount(
    long bytes, String sha256, int entries, int deletes, int live, List<Damage> damage) {

  /**
   * A stretch of the file that could not be read as records, or only with a repair.
   *
   * @param offset where it begins
   * @param unreadable bytes lost; 0 when everything could be repaired
   * @param detail what was found there, for the user
   */
  public record Damage(long offset, long unreadable, Kind kind, String detail) {}

  /** The fault of a stretch. */
  public enum Kind {
    /** The last record is still being written, or never was finished. */
    TORN_TAIL,
    /** A record that was never finished, with sound records after it. */
    TORN_RECORD,
    /** A topic of more than 255 bytes, whose length byte wrapped. */
    WRAPPED_TOPIC,
    /** A record type that this version has never heard of. */
    UNKNOWN_TYPE,
    /** Bytes that are not UTF-8, shown as U+FFFD. */
    INVALID_UTF8,
    /** A whole entry whose text is too long to be one: more than 64 MiB. */
    OVERSIZED
  }
}
