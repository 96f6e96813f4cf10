package dev.helixbg.insight.log;

import dev.helixbg.insight.log.LogAccount.Damage;
import dev.helixbg.insight.log.LogAccount.Kind;

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

  private final byte[] log;
  private final RecordSink sink;
  private final RecordResync resync;
  private final WrappedTopic wrappedTopic;

  LogWalk(byte[] log, RecordSink sink) {
    this.log = log;
    this.sink = sink;
    this.resync = new RecordResync(log);
    this.wrappedTopic = new WrappedTopic(log, resync);
  }

  /** Walks from the file's header to its end. */
  void run() {
    int position = DataLog.HEADER_BYTES;
    while (position < log.length) {
      RecordHeader header = RecordHeader.parse(log, position);
      if (header == null) {
        position = skipUnreadable(position);
      } else if (header.end() > log.length) {
        position = tornUntil(position, resync.nextInside(header));
      } else if (resync.confirms((int) header.end())) {
        position = emit(header, header.topicLength());
      } else {
        position = doubt(header);
      }
    }
  }

  private int doubt(RecordHeader header) {
    if (header.entry()) {
      int topicLength = wrappedTopic.lengthOf(header);
      if (topicLength > header.topicLength()) {
        String detail = "the topic has " + topicLength + " bytes, so its length byte wrapped";
        sink.damage(new Damage(header.offset(), 0, Kind.WRAPPED_TOPIC, detail));
        return emit(header, topicLength);
      }
      int inside = resync.nextInside(header);
      if (inside < header.end()) {
        return tornUntil(header.offset(), inside);
      }
    }
    return emit(header, header.topicLength());
  }

  private int skipUnreadable(int position) {
    int type = log[position] & 0xff;
    int next = resync.next(position + 1);
    if (type == RecordHeader.ENTRY || type == RecordHeader.DELETE) {
      return tornUntil(position, next);
    }
    String detail = "a record of type 0x%02x, which this version does not know".formatted(type);
    sink.damage(new Damage(position, next - position, Kind.UNKNOWN_TYPE, detail));
    return next;
  }

  private int tornUntil(int offset, int end) {
    if (end == log.length) {
      String detail = "the last record is not complete: it is being written, or never was finished";
      sink.damage(new Damage(offset, end - offset, Kind.TORN_TAIL, detail));
    } else {
      String detail = "a record that was never finished; the next sound one is at offset " + end;
      sink.damage(new Damage(offset, end - offset, Kind.TORN_RECORD, detail));
    }
    return end;
  }

  /** Gives a whole record to the sink, and returns where it ends. */
  private int emit(RecordHeader header, int topicLength) {
    int offset = header.offset();
    int end = (int) header.end() - header.topicLength() + topicLength;
    if (!header.entry()) {
      sink.delete(offset, header.target());
    } else if (header.bodyLength() > MAX_BODY) {
      String detail = "an entry of " + header.bodyLength() + " bytes, more than are read of one";
      sink.damage(new Damage(offset, end - offset, Kind.OVERSIZED, detail));
    } else {
      sink.entry(offset, header.value(), topicLength, (int) header.bodyLength());
    }
    return end;
  }

  /**
   * Receives what a walk over a log meets, by rising offset; together the calls cover every byte.
   */
  interface RecordSink {

    /** A whole entry record: topic and body follow its header, one after the other. */
    void entry(int offset, int timestampMin, int topicLength, int bodyLength);

    /** A whole delete record. */
    void delete(int offset, long target);

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

    private final byte[] log;
    private final RecordResync resync;

    WrappedTopic(byte[] log, RecordResync resync) {
      this.log = log;
      this.resync = resync;
    }

    /**
     * The true length of the topic in bytes.
     *
     * @param header of a whole entry that nothing sound follows
     * @return the header's own length when no repair fits
     */
    int lengthOf(RecordHeader header) {
      int topic = textFrom(header.offset() + RecordHeader.ENTRY_BYTES, MAX_TOPIC, false);
      int end = (int) header.end();
      int room = log.length - end;
      for (int more = WRAP; more <= Math.min(room, topic - header.topicLength()); more += WRAP) {
        if (resync.continuesAt(end + more) && textFrom(end, more, true) == more) {
          return header.topicLength() + more;
        }
      }
      return header.topicLength();
    }

    private int textFrom(int position, int most, boolean controls) {
      int count = Math.min(most, log.length - position);
      int skipped = 0; // the rest of a character that began before
      while (skipped < Math.min(3, count) && (log[position + skipped] & 0xc0) == 0x80) {
        skipped++;
      }
      return skipped + Utf8Check.run(log, position + skipped, count - skipped, controls);
    }
  }
}
