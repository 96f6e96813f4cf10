package dev.helixbg.insight.log;

import java.util.List;

/**
 * Account of one reading of a data.log, which counts every byte as header, record or damage.
 *
 * @param bytes length of the file when it was read
 * @param sha256 hash of the file's bytes, in hex: two readings with the same hash read the same log
 * @param entries number of entry records, including deleted entries
 * @param deletes number of delete records, including deletes without a target
 * @param live number of entries that no delete removed
 * @param damage damaged stretches, ordered by offset; if there are more than 1,000, the 1,000th
 *     stands for all further stretches, too
 */
public record LogAccount(
    long bytes, String sha256, int entries, int deletes, int live, List<Damage> damage) {

  /**
   * A stretch of bytes that is not a record, or is a record only after a repair. {@code unreadable}
   * is the number of bytes that are lost.
   */
  public record Damage(long offset, long unreadable, Kind kind, String detail) {}

  public enum Kind {
    /** The last record, which is still being written or was never finished. */
    TORN_TAIL,
    /** A record that was never finished, and that undamaged records follow. */
    TORN_RECORD,
    /** A topic of more than 255 bytes, so that its length byte overflowed ("wrapped"). */
    WRAPPED_TOPIC,
    /** A record type that this version does not know. */
    UNKNOWN_TYPE,
    /** Bytes that are not UTF-8, shown as U+FFFD. */
    INVALID_UTF8,
    /** A whole entry whose body is longer than 64 MiB. */
    OVERSIZED
  }
}
