package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Judges whether bytes are records, and finds where records begin again after damage.
 *
 * <p>A header is <i>well-formed</i> when its type is known and its zero bytes are zero. It is
 * <i>plausible</i> when besides
 *
 * <ul>
 *   <li>an entry's topic is UTF-8 without control characters (its last character may be cut), and
 *       its time is unknown or between 2000 and 2100
 *   <li>a delete's target lies within the file, after the file's header.
 * </ul>
 *
 * A plausible header fixes more than 40 bits, and text without NUL can never hold one. A record is
 * <i>cut</i> when the file ends before it does, and <i>whole</i> otherwise.
 *
 * <p><b>Sound.</b> A whole record is sound when at its end the file ends, or a plausible header
 * stands (whole or cut), or a run of well-formed whole records leads there or is {@value #CHAIN}
 * long. A sound record is never interpreted in any other way, even if its text looks like records.
 *
 * <p><b>Trusted chain.</b> Where damage is suspected, the first place counts from which plausible
 * whole records follow one another until
 *
 * <ul>
 *   <li>the file ends or a cut record begins, after at least one whole record,
 *   <li>or one ends after the end of a claim, where a readable header claims the bytes for its own
 *       text: records that someone quoted in a text end inside that text,
 *   <li>or enough of them were met: 1 where no readable header claims the bytes; 2 inside a record
 *       that the file's end cuts, and directly after the header or the topic of a torn one, where
 *       helix's separate writes end; else {@value #CHAIN}.
 * </ul>
 *
 * <p><b>Cost.</b> A search looks at each byte of its stretch once, and the stretches of one walk
 * overlap at most twice. A candidate costs at most {@value #CHAIN} headers with topics. Looks
 * outside the window, each of them a read from the file, are limited to {@value #FAR_LOOKS} per
 * walk; after that nothing more is recovered. So the time is linear in the size of the file, plus a
 * few seconds at worst.
 */
final class RecordResync {
  static final int CHAIN = 8;
  static final int FAR_LOOKS = 1_000_000;

  private static final int SHORT_CHAIN = 2;
  private static final int UNCLAIMED = 1;
  private static final long NO_CLAIM = Long.MAX_VALUE;
  private static final int MINUTES_2000 = 15_778_080;
  private static final int MINUTES_2100 = 68_374_080;

  private final LogWindow window;
  private int farLooks;

  RecordResync(LogWindow window) {
    this.window = window;
  }

  /** Whether the bytes from {@code end} on confirm a whole record that ends there. */
  boolean confirms(long end) throws IOException {
    long position = end;
    for (int records = 0; records < CHAIN; records++) {
      if (position == window.size() || plausible(position) != null) {
        return true;
      }
      RecordHeader header = wellFormed(position);
      if (header == null || header.end() > window.size()) {
        return false;
      }
      position = header.end();
    }
    return true;
  }

  /**
   * Whether the file ends at {@code position}, or a plausible header stands there. Counts as a look
   * of a search.
   */
  boolean continuesAt(long position) throws IOException {
    return position == window.size() || affords(position) && plausible(position) != null;
  }

  /** The first trusted chain that begins in unclaimed bytes, or the end of the file. */
  long next(long from) throws IOException {
    return search(from, window.size(), NO_CLAIM, UNCLAIMED);
  }

  /**
   * Returns the first trusted chain that begins inside the bytes that a torn record claims.
   *
   * @param torn its header; its claim may exceed the file
   * @return the end of the claim or of the file when none is found
   */
  long nextInside(RecordHeader torn) throws IOException {
    long claim = Math.min(torn.end(), window.size());
    if (torn.entry()) {
      long text = torn.offset() + RecordHeader.ENTRY_BYTES;
      for (long writeEnd : new long[] {text, text + torn.topicLength()}) {
        if (writeEnd < claim && trusted(writeEnd, claim, SHORT_CHAIN)) {
          return writeEnd;
        }
      }
    }
    int wanted = torn.end() > window.size() ? SHORT_CHAIN : CHAIN;
    return search(torn.offset() + 1, claim, claim, wanted);
  }

  private long search(long from, long to, long claim, int wanted) throws IOException {
    long position = from;
    while (position < to) {
      int least = (int) Math.min(RecordHeader.ENTRY_BYTES, window.size() - position);
      int index = window.at(position, least);
      byte[] bytes = window.array();
      int held = window.available(position);
      // The last bytes of a window are judged in the next one, unless the file ends with them.
      int judged = position + held == window.size() ? held : held - RecordHeader.ENTRY_BYTES + 1;
      judged = (int) Math.min(judged, to - position);
      for (int i = 0; i < judged; i++) {
        boolean mayStart = RecordHeader.parse(bytes, index + i, held - i, position + i) != null;
        if (mayStart && trusted(position + i, claim, wanted)) {
          return position + i;
        }
      }
      position += judged;
    }
    return to;
  }

  private boolean trusted(long start, long claim, int wanted) throws IOException {
    long position = start;
    for (int whole = 0; ; whole++) {
      if (position == window.size()) {
        return whole > 0;
      }
      RecordHeader header = affords(position) ? plausible(position) : null;
      if (header == null) {
        return false;
      }
      if (header.end() > window.size()) {
        return whole > 0;
      }
      if (header.end() > claim || whole + 1 >= wanted) {
        return true;
      }
      position = header.end();
    }
  }

  private boolean affords(long position) {
    return window.available(position) >= LogWindow.PEEK_CAPACITY || ++farLooks <= FAR_LOOKS;
  }

  /** The well-formed header at {@code position}, or null. */
  RecordHeader wellFormed(long position) throws IOException {
    int available = (int) Math.min(RecordHeader.ENTRY_BYTES, window.size() - position);
    ByteBuffer bytes = window.peek(position, available);
    return RecordHeader.parse(bytes.array(), bytes.arrayOffset(), available, position);
  }

  /**
   * The plausible header at {@code position}, or null. Of a header that is cut itself, the bytes
   * that are there must fit, and its end is somewhere after the end of the file.
   */
  RecordHeader plausible(long position) throws IOException {
    int available = (int) Math.min(LogWindow.PEEK_CAPACITY, window.size() - position);
    ByteBuffer peeked = window.peek(position, available);
    byte[] bytes = peeked.array();
    int index = peeked.arrayOffset();
    RecordHeader header = RecordHeader.parse(bytes, index, available, position);
    if (header == null) {
      return RecordHeader.isCut(bytes, index, available) ? RecordHeader.cut(position) : null;
    }
    if (!header.entry()) {
      return header.target() >= DataLog.HEADER_BYTES && header.target() < window.size()
          ? header
          : null;
    }
    int minutes = header.value();
    if (minutes != 0 && (minutes < MINUTES_2000 || minutes > MINUTES_2100)) {
      return null;
    }
    int topic = Math.min(header.topicLength(), available - RecordHeader.ENTRY_BYTES);
    int text = Utf8Check.run(bytes, index + RecordHeader.ENTRY_BYTES, topic, false);
    return text == topic ? header : null;
  }
}
