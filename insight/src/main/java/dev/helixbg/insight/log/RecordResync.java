package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Arrays;

/**
 * Decides whether bytes are records, and finds the next record after damage.
 *
 * <p>A header is <i>well-formed</i> if its type is known and the bytes that must be zero are zero.
 * A well-formed header is <i>plausible</i> if
 *
 * <ul>
 *   <li>an entry's topic is UTF-8 without control characters (its last character may be cut), and
 *       its time is unknown or between 2000 and 2100
 *   <li>a delete's target is within the file, after the file's header.
 * </ul>
 *
 * These rules fix more than 40 bits of a plausible header, so other bytes hardly ever look like a
 * plausible header. Text without NUL never contains a plausible header. A record is <i>cut</i> if
 * the file ends within the record; otherwise it is <i>whole</i>.
 *
 * <p><b>Sound.</b> A whole record is sound if it ends at the end of the file, or if a plausible
 * header (whole or cut) follows it. It is also sound if a chain of well-formed whole records
 * follows it. The chain must reach the end of the file or a plausible header, or have {@value
 * #CHAIN} records. A sound record always counts as a record, even if its text looks like further
 * records.
 *
 * <p><b>Trusted chain.</b> After damage, the search stops at the first place from which plausible
 * whole records follow one another until
 *
 * <ul>
 *   <li>the file ends or a cut record begins, after at least one whole record,
 *   <li>or a record ends after the end of a claim. A claim is the range of bytes that a readable
 *       header states as the text of its record. A record that is only quoted in a text would end
 *       within that text,
 *   <li>or the chain has enough records. If the place is not inside a claim, one record is enough.
 *       Inside the claim of a cut record, two records are enough. Two records are also enough
 *       directly after the header or the topic of a torn record, because helix writes header, topic
 *       and body one after another. Otherwise, {@value #CHAIN} records are needed.
 * </ul>
 *
 * <p><b>Cost.</b> A search reads each byte of its range once, and the ranges of all searches in one
 * walk overlap at most twice. For each place that may begin a record, at most {@value #CHAIN}
 * headers with topics are read. The time is therefore linear in the size of the file.
 */
record RecordResync(byte[] log) {
  static final int CHAIN = 8;

  private static final int SHORT_CHAIN = 2;
  private static final int UNCLAIMED = 1;
  private static final long NO_CLAIM = Long.MAX_VALUE;
  private static final int MINUTES_2000 = 15_778_080;
  private static final int MINUTES_2100 = 68_374_080;
  private static final int DELETE = 0x7f;

  /** Whether the bytes from {@code end} on show that a whole record ends at {@code end}. */
  boolean confirms(int end) {
    int position = end;
    for (int records = 0; records < CHAIN; records++) {
      if (continuesAt(position)) {
        return true;
      }
      RecordHeader header = RecordHeader.parse(log, position);
      if (header == null || header.end() > log.length) {
        return false;
      }
      position = (int) header.end();
    }
    return true;
  }

  /** Whether the file ends at {@code position} or a plausible header begins there. */
  boolean continuesAt(int position) {
    return position == log.length || plausible(position) != null;
  }

  /**
   * Returns the start of the first trusted chain of records at or after {@code from}, or the end of
   * the file if there is none. No claim may include {@code from}. The class explains trusted chains
   * and claims.
   */
  int next(int from) {
    return search(from, log.length, NO_CLAIM, UNCLAIMED);
  }

  /**
   * Returns the start of the first trusted chain of records (see the class) inside a torn record:
   * it was never finished, so the length in its header may cover later records. If there is no
   * chain, returns the end that the header states, or the end of the file if it is earlier.
   */
  int nextInside(RecordHeader torn) {
    int claim = (int) Math.min(torn.end(), log.length);
    if (torn.entry()) {
      int text = torn.offset() + RecordHeader.ENTRY_BYTES;
      for (int writeEnd : new int[] {text, text + torn.topicLength()}) {
        if (writeEnd < claim && trusted(writeEnd, claim, SHORT_CHAIN)) {
          return writeEnd;
        }
      }
    }
    int wanted = torn.end() > log.length ? SHORT_CHAIN : CHAIN;
    return search(torn.offset() + 1, claim, claim, wanted);
  }

  private int search(int from, int to, long claim, int wanted) {
    for (int position = from; position < to; position++) {
      if (RecordHeader.parse(log, position) != null && trusted(position, claim, wanted)) {
        return position;
      }
    }
    return to;
  }

  private boolean trusted(int start, long claim, int wanted) {
    int position = start;
    for (int whole = 0; ; whole++) {
      if (position == log.length) {
        return whole > 0;
      }
      RecordHeader header = plausible(position);
      if (header == null) {
        return false;
      }
      if (header.end() > log.length) {
        return whole > 0;
      }
      if (header.end() > claim || whole + 1 >= wanted) {
        return true;
      }
      position = (int) header.end();
    }
  }

  /**
   * Returns the header at {@code position}, or null if it is not plausible (see the class). If the
   * file ends within the header, only the existing bytes of the header are checked. The result is
   * then a substitute with the largest possible body, so that its record ends after the end of the
   * file.
   */
  private RecordHeader plausible(int position) {
    RecordHeader header = RecordHeader.parse(log, position);
    if (header == null) {
      // The copy has zeros for the bytes after the end of the file.
      byte[] padded = Arrays.copyOfRange(log, position, position + RecordHeader.ENTRY_BYTES);
      return RecordHeader.parse(padded, 0) == null
          ? null
          : new RecordHeader(position, true, 0, 0xffff_ffffL, 0);
    }
    if (!header.entry()) {
      return header.target() >= DataLog.HEADER_BYTES && header.target() < log.length
          ? header
          : null;
    }
    int minutes = header.value();
    if (minutes != 0 && (minutes < MINUTES_2000 || minutes > MINUTES_2100)) {
      return null;
    }
    int text = position + RecordHeader.ENTRY_BYTES;
    int topic = Math.min(header.topicLength(), log.length - text);
    return textLength(text, topic, false) == topic ? header : null;
  }

  /**
   * Returns the number of bytes from {@code start} on that are text in UTF-8.
   *
   * @param most maximum number of bytes; a character that this limit cuts counts as text
   * @param controls whether control characters other than NUL are text
   */
  int textLength(int start, int most, boolean controls) {
    int length = 0;
    while (length < most && !isControl(log[start + length], controls)) {
      length++;
    }
    ByteBuffer text = ByteBuffer.wrap(log, start, length);
    boolean isMalformed =
        UTF_8.newDecoder().decode(text, CharBuffer.allocate(length), false).isError();
    return length == most && !isMalformed ? most : text.position() - start;
  }

  private static boolean isControl(byte one, boolean onlyNul) {
    return one == 0 || !onlyNul && (one > 0 && one < ' ' || one == DELETE);
  }
}
