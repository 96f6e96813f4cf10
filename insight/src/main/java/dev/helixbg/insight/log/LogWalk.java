package dev.helixbg.insight.log;

import dev.helixbg.insight.log.LogAccount.Damage;
import dev.helixbg.insight.log.LogAccount.Kind;
import java.io.IOException;

/**
 * Walks from record to record and gives each to a sink, and all bytes between them as damage.
 *
 * <p>A record is given away only when what follows confirms it ({@link RecordResync}). Otherwise it
 * is doubted: its topic may have wrapped ({@link WrappedTopic}); or it was torn, and the length
 * that it claims covers records that were written later, which are then looked for inside its
 * claim. If neither holds it is kept as it is, and the damage begins after it.
 */
final class LogWalk {
  /**
   * Longest body that is read, in bytes: people write less, and a hostile header can claim more.
   */
  static final long MAX_BODY = 64L << 20;

  private final LogWindow window;
  private final RecordSink sink;
  private final RecordResync resync;
  private final WrappedTopic wrappedTopic;

  LogWalk(LogWindow window, RecordSink sink) {
    this.window = window;
    this.sink = sink;
    this.resync = new RecordResync(window);
    this.wrappedTopic = new WrappedTopic(window, resync);
  }

  /** Walks from {@code start} to the end of the log. */
  void run(long start) throws IOException {
    long position = start;
    while (position < window.size()) {
      RecordHeader header = headerAt(position);
      if (header == null) {
        position = skipUnreadable(position);
      } else if (header.end() > window.size()) {
        position = tornUntil(position, resync.nextInside(header));
      } else if (resync.confirms(header.end())) {
        position = emit(header, header.topicLength());
      } else {
        position = doubt(header);
      }
    }
  }

  private RecordHeader headerAt(long position) throws IOException {
    int available = (int) Math.min(RecordHeader.ENTRY_BYTES, window.size() - position);
    int index = window.at(position, available);
    return RecordHeader.parse(window.array(), index, available, position);
  }

  private long doubt(RecordHeader header) throws IOException {
    if (header.entry()) {
      int topicLength = wrappedTopic.lengthOf(header);
      if (topicLength > header.topicLength()) {
        String detail = "the topic has " + topicLength + " bytes, so its length byte wrapped";
        sink.damage(new Damage(header.offset(), 0, Kind.WRAPPED_TOPIC, detail));
        return emit(header, topicLength);
      }
      long inside = resync.nextInside(header);
      if (inside < header.end()) {
        return tornUntil(header.offset(), inside);
      }
    }
    return emit(header, header.topicLength());
  }

  private long skipUnreadable(long position) throws IOException {
    int type = window.array()[window.at(position, 1)] & 0xff;
    long next = resync.next(position + 1);
    if (type == RecordHeader.ENTRY || type == RecordHeader.DELETE) {
      return tornUntil(position, next);
    }
    String detail = "a record of type 0x%02x, which this version does not know".formatted(type);
    sink.damage(new Damage(position, next - position, Kind.UNKNOWN_TYPE, detail));
    return next;
  }

  private long tornUntil(long offset, long end) {
    if (end == window.size()) {
      String detail = "the last record is not complete: it is being written, or never was finished";
      sink.damage(new Damage(offset, end - offset, Kind.TORN_TAIL, detail));
    } else {
      String detail = "a record that was never finished; the next sound one is at offset " + end;
      sink.damage(new Damage(offset, end - offset, Kind.TORN_RECORD, detail));
    }
    return end;
  }

  /** Gives a whole record to the sink, and returns where it ends. */
  private long emit(RecordHeader header, int topicLength) throws IOException {
    long offset = header.offset();
    long end = header.end() - header.topicLength() + topicLength;
    if (!header.entry()) {
      sink.delete(offset, header.target());
    } else if (header.bodyLength() > MAX_BODY) {
      String detail = "an entry of " + header.bodyLength() + " bytes, more than are read of one";
      sink.damage(new Damage(offset, end - offset, Kind.OVERSIZED, detail));
    } else {
      int bodyLength = (int) header.bodyLength();
      int length = topicLength + bodyLength;
      long text = offset + RecordHeader.ENTRY_BYTES;
      if (length <= window.capacity()) {
        int index = window.at(text, length);
        sink.entry(offset, header.value(), window.array(), index, topicLength, bodyLength);
      } else {
        byte[] bytes = new byte[length];
        window.copy(text, bytes);
        sink.entry(offset, header.value(), bytes, 0, topicLength, bodyLength);
      }
    }
    return end;
  }

  /**
   * Receives what a walk over a log meets, by rising offset; together the calls cover every byte.
   */
  interface RecordSink {

    /**
     * A whole entry record.
     *
     * @param bytes hold topic and body, one after the other, at {@code index}; valid during the
     *     call
     */
    void entry(
        long offset, int timestampMin, byte[] bytes, int index, int topicLength, int bodyLength);

    /** A whole delete record. */
    void delete(long offset, long target);

    /** Reports a stretch that is not a record, or a repair of the record that follows. */
    void damage(LogAccount.Damage damage);
  }

  /**
   * Repairs an entry whose topic had more than 255 bytes, so that its length byte wrapped: the
   * topic is 256, 512, … bytes longer than the header says, up to 16 KiB, and so is the record.
   *
   * <p>The repair takes the smallest such length after which the file ends or a plausible header
   * stands, if all bytes that it calls topic are text without control characters, and all bytes
   * that it adds to the record are text without NUL. No record header is, so a repair never
   * swallows one.
   */
  static final class WrappedTopic {
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
}
