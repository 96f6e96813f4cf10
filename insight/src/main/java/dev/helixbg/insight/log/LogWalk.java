package dev.helixbg.insight.log;

import dev.helixbg.insight.log.LogAccount.Damage;
import dev.helixbg.insight.log.LogAccount.Kind;

/**
 * Reads a log record by record, and passes the records to {@code sink}. Reports the bytes between
 * records to {@code sink} as damage. The calls to {@code sink} are in the order of the bytes, and
 * together cover every byte.
 *
 * <p>If the bytes after a record confirm that it ends there ({@link RecordResync}), the walk passes
 * the record on. If they do not, the walk tries these explanations of the bytes, in this order:
 *
 * <ol>
 *   <li>The topic of an entry is so long that its length byte overflowed ({@link #topicLength}).
 *       The walk passes the record on with the repaired length.
 *   <li>An entry record was never finished, so the length in its header also covers later records.
 *       The bytes before the first of these later records are damage, and the walk continues with
 *       that record.
 *   <li>If neither fits, the walk passes the record on, and the damage begins after the record.
 * </ol>
 */
record LogWalk(byte[] log, LiveEntries sink, RecordResync resync) {
  /** Maximum length of a body that is read, in bytes; a hostile header can state more. */
  static final long MAX_BODY = 64L << 20;

  private static final int WRAP = 256;
  private static final int MAX_TOPIC = 16 * 1024;

  LogWalk(byte[] log, LiveEntries sink) {
    this(log, sink, new RecordResync(log));
  }

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
      int topicLength = topicLength(header);
      if (topicLength > header.topicLength()) {
        String detail = "the topic has " + topicLength + " bytes, so its length byte overflowed";
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
    String detail = "a record of type 0x%02x, which helix-bg does not know".formatted(type);
    sink.damage(new Damage(position, next - position, Kind.UNKNOWN_TYPE, detail));
    return next;
  }

  private int tornUntil(int offset, int end) {
    boolean isTail = end == log.length;
    String detail =
        isTail
            ? "the last record is incomplete: it is still being written, or was never finished"
            : "a record that was never finished; the next intact record is at offset " + end;
    Kind kind = isTail ? Kind.TORN_TAIL : Kind.TORN_RECORD;
    sink.damage(new Damage(offset, end - offset, kind, detail));
    return end;
  }

  /** Passes a whole record to the sink, and returns the record's end. */
  private int emit(RecordHeader header, int topicLength) {
    int offset = header.offset();
    int end = (int) header.end() - header.topicLength() + topicLength;
    if (!header.entry()) {
      sink.delete(offset, header.target());
    } else if (header.bodyLength() > MAX_BODY) {
      String detail =
          "an entry of " + header.bodyLength() + " bytes, which is too large to be read";
      sink.damage(new Damage(offset, end - offset, Kind.OVERSIZED, detail));
    } else {
      sink.entry(offset, header.value(), topicLength, (int) header.bodyLength());
    }
    return end;
  }

  /**
   * Returns the true length of an entry's topic, in bytes. If a topic has more than 255 bytes, its
   * length byte overflowed. Topic and record are then longer than the header states, by a multiple
   * of 256 bytes. A topic has at most 16 KiB.
   *
   * <p>The result is the smallest topic length with which the record ends at the end of the file or
   * before a plausible header. The topic must be text without control characters. The bytes by
   * which the record is longer must be text without NUL. Every record header contains a NUL, so
   * these bytes include no other record. If no length fits, returns the length that the header
   * states.
   */
  private int topicLength(RecordHeader header) {
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
    int skipped = 0; // number of bytes that belong to a character that began earlier
    while (skipped < Math.min(3, count) && (log[position + skipped] & 0xc0) == 0x80) {
      skipped++;
    }
    return skipped + resync.textLength(position + skipped, count - skipped, controls);
  }
}
