package dev.helixbg.insight.log;

import java.io.IOException;

/**
 * Repairs an entry whose topic had more than 255 bytes, so that its length byte wrapped: the topic
 * is 256, 512, … bytes longer than the header says, up to 16 KiB, and so is the record.
 *
 * <p>The repair takes the smallest such length after which the file ends or a plausible header
 * stands, if all bytes that it calls topic are text without control characters, and all bytes that
 * it adds to the record are text without NUL. No record header is, so a repair never swallows one.
 */
final class WrappedTopic {
  private static final int WRAP = 256;
  private static final int MAX_TOPIC = 16 * 1024;

  private final LogWindow window;
  private final RecordResync resync;

  WrappedTopic(LogWindow window, RecordResync resync) {
    this.window = window;
    this.resync = resync;
  }

  /**
   * The true length of the topic in bytes.
   *
   * @param header of a whole entry that nothing sound follows
   * @return the header's own length when no repair fits
   */
  int lengthOf(RecordHeader header) throws IOException {
    int topic = textFrom(header.offset() + RecordHeader.ENTRY_BYTES, MAX_TOPIC, false);
    long room = window.size() - header.end();
    for (int more = WRAP; more <= Math.min(room, topic - header.topicLength()); more += WRAP) {
      if (resync.continuesAt(header.end() + more) && textFrom(header.end(), more, true) == more) {
        return header.topicLength() + more;
      }
    }
    return header.topicLength();
  }

  private int textFrom(long position, int most, boolean controls) throws IOException {
    int count = (int) Math.min(Math.min(most, window.capacity()), window.size() - position);
    int index = window.at(position, count);
    byte[] bytes = window.array();
    int skipped = 0; // the rest of a character that began before
    while (skipped < Math.min(3, count) && (bytes[index + skipped] & 0xc0) == 0x80) {
      skipped++;
    }
    return skipped + Utf8Check.run(bytes, index + skipped, count - skipped, controls);
  }
}
