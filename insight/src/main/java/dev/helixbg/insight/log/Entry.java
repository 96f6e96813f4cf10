package dev.helixbg.insight.log;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * One live entry of a data.log, as helix wrote it.
 *
 * @param offset offset of the record in the file; unique and rising within one file, but changed by
 *     a compaction
 * @param topic decoded UTF-8; longer than 255 bytes only after a repair of a wrapped length byte
 * @param body decoded UTF-8 with its metadata lines
 * @param timestampMin local wall-clock minutes since 1970-01-01 00:00; 0 when unknown; may decrease
 * @param text content and metadata of the body
 */
public record Entry(long offset, String topic, String body, int timestampMin, EntryText text) {
  /** Minutes of a day. */
  public static final int DAY = 24 * 60;

  /** Returns an entry with its parsed body. */
  public static Entry of(long offset, String topic, String body, int timestampMin) {
    EntryText text = isNote(topic) ? EntryText.ofNote(body) : EntryText.parse(body);
    return new Entry(offset, topic, body, timestampMin, text);
  }

  /**
   * Whether a topic names a folder of notes: its last character is a slash, which helix forbids in
   * topics.
   */
  private static boolean isNote(String topic) {
    return topic.endsWith("/");
  }

  /**
   * Returns the text that is embedded, and hashed for reuse: topic, a space, the body without its
   * metadata lines, in the form of {@link SaidText}.
   */
  public String embeddedText() {
    return SaidText.of(topic + " " + text.content());
  }

  /** Returns the entry with another body. */
  public Entry withBody(String other) {
    return of(offset, topic, other, timestampMin);
  }

  /**
   * Returns the file that the entry was read from, if the log was made of a folder of notes. {@link
   * EntryText#heading} and {@link EntryText#part} name the part of the file.
   */
  public Optional<String> note() {
    return isNote(topic) ? text.source() : Optional.empty();
  }

  /**
   * Returns the local time of writing: {@code 2026-03-01T10:22}, or {@code 2026-03-01} for a note
   * without an hour; empty when unknown.
   */
  public Optional<String> written() {
    if (timestampMin == 0) {
      return Optional.empty();
    }
    LocalDateTime time = LocalDateTime.ofEpochSecond(timestampMin * 60L, 0, ZoneOffset.UTC);
    return Optional.of(isOfADay() ? time.toLocalDate().toString() : time.toString());
  }

  /** Whether the time is a day without an hour, as in some notes. */
  public boolean isOfADay() {
    return timestampMin != 0 && timestampMin % DAY == 0 && note().isPresent();
  }
}
