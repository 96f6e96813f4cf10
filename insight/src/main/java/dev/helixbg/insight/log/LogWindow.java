package dev.helixbg.insight.log;

import dev.helixbg.config.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * A view of bounded size that moves over a log, and hashes each byte the first time it passes.
 *
 * <p>Reading moves forward; going back is allowed and reads again. {@link #peek} looks at a far
 * place without moving.
 */
final class LogWindow {
  private static final int CAPACITY = 64 * 1024;
  static final int PEEK_CAPACITY = 512;

  /**
   * Failure of a reading whose file ended before the size that was seen at open: the reader starts
   * again.
   */
  static final class ShrunkException extends IOException {}

  private final SeekableByteChannel log;
  private final long size;
  private final Optional<String> known;
  private final MessageDigest sha256 = Sha256.start();
  private final ByteBuffer buffer;
  private final ByteBuffer far = ByteBuffer.allocate(PEEK_CAPACITY);
  private long start;
  private long hashed;

  /**
   * The window over the first {@code size} bytes of a log.
   *
   * @param known hash of the log, if it is known
   */
  LogWindow(SeekableByteChannel log, long size, Optional<String> known) {
    this(log, size, known, CAPACITY);
  }

  LogWindow(SeekableByteChannel log, long size, Optional<String> known, int capacity) {
    this.log = log;
    this.size = size;
    this.known = known;
    this.hashed = known.isPresent() ? size : 0;
    this.buffer = ByteBuffer.allocate((int) Math.min(capacity, size)).limit(0);
  }

  long size() {
    return size;
  }

  /** How many bytes the window holds at most. */
  int capacity() {
    return buffer.capacity();
  }

  /**
   * Moves the window so that it holds {@code count} bytes at {@code position}.
   *
   * @param count at most {@link #capacity}, and no further than the end
   * @return where they begin in {@link #array()}
   */
  int at(long position, int count) throws IOException {
    if (!holds(position, count)) {
      moveTo(position);
    }
    return (int) (position - start);
  }

  byte[] array() {
    return buffer.array();
  }

  /** How many bytes from {@code position} on are in the window now. */
  int available(long position) {
    return holds(position, 0) ? (int) (start + buffer.limit() - position) : 0;
  }

  /**
   * The {@code count} bytes at {@code position}, from the {@code arrayOffset} of a buffer, without
   * moving the window; the next call reuses them.
   *
   * @param count at most {@link #PEEK_CAPACITY}, and no further than the end
   */
  ByteBuffer peek(long position, int count) throws IOException {
    if (holds(position, count)) {
      return buffer.slice((int) (position - start), count);
    }
    far.clear().limit(count);
    fill(far, position);
    return far.flip();
  }

  /** Copies {@code into.length} bytes at {@code position}, through the window. */
  void copy(long position, byte[] into) throws IOException {
    int copied = 0;
    while (copied < into.length) {
      int chunk = Math.min(into.length - copied, capacity());
      int from = at(position + copied, chunk);
      System.arraycopy(array(), from, into, copied, chunk);
      copied += chunk;
    }
  }

  /** The hash of all bytes, reading those that were not passed yet, where it was not known. */
  String finish() throws IOException {
    if (known.isPresent()) {
      return known.get();
    }
    while (hashed < size) {
      moveTo(hashed);
    }
    return Sha256.hex(sha256);
  }

  private boolean holds(long position, int count) {
    return position >= start && position + count <= start + buffer.limit();
  }

  private void moveTo(long position) throws IOException {
    while (hashed < position) {
      load(hashed);
    }
    load(position);
  }

  private void load(long position) throws IOException {
    buffer.clear().limit((int) Math.min(capacity(), size - position));
    fill(buffer, position);
    buffer.flip();
    start = position;
    long end = position + buffer.limit();
    if (end > hashed) {
      int from = (int) (hashed - position);
      sha256.update(buffer.array(), from, (int) (end - hashed));
      hashed = end;
    }
  }

  private void fill(ByteBuffer into, long position) throws IOException {
    log.position(position);
    while (into.hasRemaining()) {
      if (log.read(into) < 0) {
        throw new ShrunkException();
      }
    }
  }
}
