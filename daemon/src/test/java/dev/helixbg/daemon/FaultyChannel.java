package dev.helixbg.daemon;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** An open file of a {@link FaultyDisk}. */
final class FaultyChannel extends FileChannel {
  private final FaultyDisk disk;
  private final Path path;
  private final FileChannel real;

  FaultyChannel(FaultyDisk disk, Path path, FileChannel real) {
    this.disk = disk;
    this.path = path;
    this.real = real;
  }

  /** Writes to the file itself. */
  private interface Write {
    int write(ByteBuffer bytes) throws IOException;
  }

  private int write(ByteBuffer bytes, Write write) throws IOException {
    int some = disk.writeStep(path, bytes.remaining(), true);
    ByteBuffer first = bytes.duplicate();
    first.limit(first.position() + some);
    int written = write.write(first);
    bytes.position(bytes.position() + written);
    if (disk.isDead()) {
      throw new FaultyDisk.Dead();
    }
    return written;
  }

  @Override
  public int read(ByteBuffer bytes) throws IOException {
    disk.step(path, false);
    return real.read(bytes);
  }

  @Override
  public long read(ByteBuffer[] bytes, int offset, int length) throws IOException {
    disk.step(path, false);
    return real.read(bytes, offset, length);
  }

  @Override
  public int read(ByteBuffer bytes, long position) throws IOException {
    disk.step(path, false);
    return real.read(bytes, position);
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    return write(bytes, real::write);
  }

  @Override
  public int write(ByteBuffer bytes, long position) throws IOException {
    return write(bytes, some -> real.write(some, position));
  }

  @Override
  public long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
    return write(bytes[offset]); // writes fewer bytes than requested, which a channel may do
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    real.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    disk.step(path, false);
    return real.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    disk.step(path, false);
    real.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    disk.step(path, false);
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    disk.step(path, false);
    return real.transferTo(position, count, target);
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    disk.step(path, true);
    return real.transferFrom(source, position, count);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    disk.step(path, false);
    return real.map(mode, position, size);
  }

  @Override
  public MemorySegment map(MapMode mode, long offset, long size, Arena arena) throws IOException {
    disk.step(path, false);
    return real.map(mode, offset, size, arena);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    disk.step(path, false);
    return real.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    disk.step(path, false);
    return real.tryLock(position, size, shared);
  }

  /** Closes the file even if the simulated process is dead. */
  @Override
  protected void implCloseChannel() throws IOException {
    disk.closed(this);
    real.close();
  }
}
