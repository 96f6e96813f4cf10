package dev.helixbg.insight.log;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * One live entry of a data.log, as helix wrote it.
 *
 * @param offset of the record in the file; unique and rising within one file, but changed by a
 *     compaction
 * @param topic decoded UTF-8; longer than 255 bytes only when its length byte had wrapped and was
 *     repaired
 * @param body decoded UTF-8 with its metadata lines
 * @param timestampMin local wall-clock minutes since 1970-01-01 00:00; 0 when unknown; may run
 *     backwards
 * @param text what the body says, parsed once: content and metadata
 */
public record Entry(long offset, String topic, String body, int timestampMin, EntryText text) {
  /** In minutes. */
  public static final int DAY = 24 * 60;

  /** An entry with its body taken apart. */
  public static Entry of(long offset, String topic, String body, int timestampMin) {
    EntryText text = isNote(topic) ? EntryText.ofNote(body) : EntryText.parse(body);
    return new Entry(offset, topic, body, timestampMin, text);
  }

  /** Whether a topic names a folder of notes: it ends in a slash, which helix forbids in topics. */
  private static boolean isNote(String topic) {
    return topic.endsWith("/");
  }

  /**
   * Returns the text that is embedded, and hashed for reuse: topic, a space, the body without its
   * metadata lines, as {@link SaidText} has it.
   */
  public String embeddedText() {
    return SaidText.of(topic + " " + text.content());
  }

  /** The same with another body. */
  public Entry withBody(String other) {
    return of(offset, topic, other, timestampMin);
  }

  /**
   * The file that it was read from, where the log was made of a folder of notes. Of a part of the
   * file {@link EntryText#heading} and {@link EntryText#part} tell which.
   */
  public Optional<String> note() {
    return isNote(topic) ? text.source() : Optional.empty();
  }

  /**
   * When it was written, by the clock of its writer: {@code 2026-03-01T10:22}, of a note that tells
   * no hour {@code 2026-03-01}; empty when unknown.
   */
  public Optional<String> written() {
    if (timestampMin == 0) {
      return Optional.empty();
    }
    LocalDateTime time = LocalDateTime.ofEpochSecond(timestampMin * 60L, 0, ZoneOffset.UTC);
    return Optional.of(isOfADay() ? time.toLocalDate().toString() : time.toString());
  }

  /** Whether its time is that of a day, as notes have it that tell no hour. */
  public boolean isOfADay() {
    return timestampMin != 0 && timestampMin % DAY == 0 && note().isPresent();
  }
}
