package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/** A log that is only read: bytes at positions, which may change between two reads. */
abstract class LogSource implements SeekableByteChannel {
  private long position;

  /**
   * Reads from {@code position} into what is left of {@code into}.
   *
   * @return bytes read, or -1 at or after the end
   */
  abstract int read(ByteBuffer into, long position) throws IOException;

  @Override
  public final int read(ByteBuffer into) throws IOException {
    int count = read(into, position);
    position += Math.max(0, count);
    return count;
  }

  @Override
  public final long position() {
    return position;
  }

  @Override
  public final SeekableByteChannel position(long newPosition) {
    position = newPosition;
    return this;
  }

  @Override
  public final int write(ByteBuffer from) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final SeekableByteChannel truncate(long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final boolean isOpen() {
    return true;
  }

  @Override
  public final void close() {}
}
