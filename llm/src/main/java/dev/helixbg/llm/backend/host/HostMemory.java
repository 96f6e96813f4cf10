package dev.helixbg.llm.backend.host;

import dev.helixbg.config.natives.NativeFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Zeroed memory for buffers that are seldom used up: pages that were not written to yet are not
 * resident. {@link Arena#allocate} writes zeros to all of them.
 */
public final class HostMemory {
  /** On the boundary of a cache line, and of the widest vector. */
  public static final int ALIGNMENT = 64;

  /** From here on whole pages, of at most 16 KB, are little waste. */
  private static final long LARGE = 256 << 10;

  private static final int READ_AND_WRITE = 1 | 2;
  private static final int PRIVATE = 2;
  private static final int ANONYMOUS =
      System.getProperty("os.name").startsWith("Mac") ? 0x1000 : 0x20;
  private static final int FIXED = 0x10;
  private static final int NO_FILE = -1;
  private static final long FAILED = -1;

  /** {@code void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)}. */
  private static final NativeFunction MAP = NativeFunction.ofC("mmap").orElseThrow();

  /** {@code int munmap(void *addr, size_t length)}. */
  private static final NativeFunction UNMAP = NativeFunction.ofC("munmap").orElseThrow();

  private HostMemory() {}

  /**
   * Has this class, and the functions' handle, made: tens of milliseconds, which may pass beside
   * something else.
   */
  public static void prepare() {}

  /** Memory that is given back to the system when the arena closes. */
  public static MemorySegment allocate(Arena arena, long bytes) {
    if (bytes < LARGE) {
      return arena.allocate(bytes, ALIGNMENT);
    }
    long address = map(0, bytes, PRIVATE | ANONYMOUS);
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, arena, unused -> UNMAP.call(address, bytes, 0));
  }

  /**
   * Memory for at least {@code bytes}: {@code held} if it has room, else other memory, at least
   * twice as large. The caller may not use {@code held} then.
   *
   * @param held from this class, or {@link MemorySegment#NULL}
   */
  public static MemorySegment grown(Arena arena, MemorySegment held, long bytes) {
    if (held.byteSize() >= bytes) {
      return held;
    }
    if (held.byteSize() >= LARGE) {
      // Fresh pages in the same place: the arena unmaps them, what was written is given back now.
      map(held.address(), held.byteSize(), PRIVATE | ANONYMOUS | FIXED);
    }
    return allocate(arena, Math.max(bytes, 2 * held.byteSize()));
  }

  private static long map(long place, long bytes, int flags) {
    long address = MAP.call(place, bytes, READ_AND_WRITE, flags, NO_FILE, 0, 0, 0);
    if (address == FAILED) {
      throw new OutOfMemoryError("the system has no %,d bytes of memory left".formatted(bytes));
    }
    return address;
  }
}
