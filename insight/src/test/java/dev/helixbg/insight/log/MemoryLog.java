package dev.helixbg.insight.log;

import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** A data.log in memory, so that thousands of damaged ones can be read without a file. */
class MemoryLog extends LogSource {
  private final byte[] bytes;

  MemoryLog(byte[] bytes) {
    this.bytes = bytes;
  }

  static LogReading read(byte[] bytes) {
    try {
      return DataLog.read(Path.of("memory"), new MemoryLog(bytes), Optional.empty());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  int read(ByteBuffer into, long position) {
    if (position >= bytes.length) {
      return -1;
    }
    int count = (int) Math.min(into.remaining(), bytes.length - position);
    into.put(bytes, (int) position, count);
    return count;
  }
}
