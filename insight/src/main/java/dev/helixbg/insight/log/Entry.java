package dev.helixbg.insight.log;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * One live entry of a data.log, as helix wrote it.
 *
 * @param offset offset of the record; offsets rise within a file, and a compaction changes them
 * @param topic the topic, of any length; a length over 255 bytes overflows the length byte in the
 *     log, and {@link LogWalk} works out the true length
 * @param body the body, decoded from UTF-8, with its metadata lines
 * @param timestampMin time of writing, in minutes of local time since 1970-01-01 00:00; 0 if
 *     unknown. A later entry may have an earlier time
 * @param text content and metadata of the body
 */
public record Entry(long offset, String topic, String body, int timestampMin, EntryText text) {
  public static final int DAY = 24 * 60;

  public static Entry of(long offset, String topic, String body, int timestampMin) {
    EntryText text = isNote(topic) ? EntryText.ofNote(body) : EntryText.parse(body);
    return new Entry(offset, topic, body, timestampMin, text);
  }

  /** Whether a topic is a folder of notes: it ends in a slash, which topics of helix never do. */
  public static boolean isNote(String topic) {
    return topic.endsWith("/");
  }

  /**
   * Returns topic, a space and content, converted by {@link SaidText}, to be embedded and hashed.
   */
  public String embeddedText() {
    return SaidText.of(topic + " " + text.content());
  }

  public Entry withBody(String other) {
    return of(offset, topic, other, timestampMin);
  }

  /** Returns the file that the entry was read from, if the log was made from a folder of notes. */
  public Optional<String> note() {
    return isNote(topic) ? text.source() : Optional.empty();
  }

  /** Whether the entry is a fact of a memory file: a list item, or a lesson with a heading. */
  public boolean isFact() {
    return text.position().isPresent();
  }

  /**
   * Returns the local time of writing, as {@code 2026-03-01T10:22}, or the day if only that is
   * known.
   */
  public Optional<String> written() {
    if (timestampMin == 0) {
      return Optional.empty();
    }
    LocalDateTime time = LocalDateTime.ofEpochSecond(timestampMin * 60L, 0, ZoneOffset.UTC);
    return Optional.of(isOfADay() ? time.toLocalDate().toString() : time.toString());
  }

  /**
   * Whether only the day on which the entry was written is known, not the hour. This is so for some
   * notes.
   */
  public boolean isOfADay() {
    return timestampMin != 0 && timestampMin % DAY == 0 && note().isPresent();
  }
}
