package dev.helixbg.insight.log;

import java.util.List;

/**
 * The records and the damaged parts of a data.log. Every byte of the file belongs to the header, to
 * a record or to a damaged part.
 *
 * @param bytes length of the file when it was read
 * @param sha256 SHA-256 hash of the file's bytes, in hex
 * @param entries number of entry records, including deleted entries
 * @param deletes number of delete records, including those that name no entry
 * @param live number of entries that no delete removed
 * @param damage damaged parts, ordered by offset; if there are more than 1,000, the 1,000th also
 *     counts the lost bytes of all later parts
 */
public record LogAccount(
    long bytes, String sha256, int entries, int deletes, int live, List<Damage> damage) {

  /**
   * A damaged part of a log. {@code unreadable} is the number of bytes that are lost: 0 if helix-bg
   * could repair the part.
   */
  public record Damage(long offset, long unreadable, Kind kind, String detail) {}

  public enum Kind {
    /** An incomplete last record, which is still being written or was never finished. */
    TORN_TAIL,
    /** An incomplete record in the middle of the log: it was never finished. */
    TORN_RECORD,
    /** A topic of more than 255 bytes, whose length overflowed the length byte ("wrapped"). */
    WRAPPED_TOPIC,
    /** A record of an unknown type. */
    UNKNOWN_TYPE,
    /** Bytes that are not UTF-8, and that the entry's text shows as U+FFFD. */
    INVALID_UTF8,
    /** An entry that is not read, because its body is longer than 64 MiB. */
    OVERSIZED
  }
}
