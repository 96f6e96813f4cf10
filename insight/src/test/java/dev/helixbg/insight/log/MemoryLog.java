package dev.helixbg.insight.log;

import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.Optional;

/** A data.log in memory, so that thousands of damaged ones can be read without a file. */
class MemoryLog implements SeekableByteChannel {
  private final byte[] bytes;
  private long position;

  MemoryLog(byte[] bytes) {
    this.bytes = bytes;
  }

  static LogReading read(byte[] bytes) {
    return new MemoryLog(bytes).reading();
  }

  final LogReading reading() {
    try {
      return DataLog.read(Path.of("memory"), this, Optional.empty());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public int read(ByteBuffer into) {
    if (position >= bytes.length) {
      return -1;
    }
    int count = (int) Math.min(into.remaining(), bytes.length - position);
    into.put(bytes, (int) position, count);
    position += count;
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
