package dev.helixbg.llm.backend.host;

import dev.helixbg.config.natives.NativeFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Allocates zeroed memory for buffers that are seldom filled completely. Pages that were never
 * written to take no memory, whereas {@link Arena#allocate} writes zeros to all pages.
 */
public final class HostMemory {
  /** Alignment of buffers, in bytes. A cache line and the widest vector both have this size. */
  public static final int ALIGNMENT = 64;

  /** Minimum size, in bytes, of memory that is allocated in whole pages (of at most 16 KB). */
  private static final long LARGE = 256 << 10;

  private static final int READ_AND_WRITE = 1 | 2;
  private static final int PRIVATE = 2;
  private static final int ANONYMOUS =
      System.getProperty("os.name").startsWith("Mac") ? 0x1000 : 0x20;
  private static final int FIXED = 0x10;
  private static final int NO_FILE = -1;
  private static final long FAILED = -1;

  // void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
  private static final NativeFunction MAP = NativeFunction.ofC("mmap").orElseThrow();
  // int munmap(void *addr, size_t length)
  private static final NativeFunction UNMAP = NativeFunction.ofC("munmap").orElseThrow();

  private HostMemory() {}

  /** Initialises this class, which takes tens of milliseconds. */
  public static void prepare() {}

  /** Allocates memory that is returned to the system when the arena closes. */
  public static MemorySegment allocate(Arena arena, long bytes) {
    if (bytes < LARGE) {
      return arena.allocate(bytes, ALIGNMENT);
    }
    long address = map(0, bytes, PRIVATE | ANONYMOUS);
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, arena, unused -> UNMAP.call(address, bytes, 0));
  }

  /**
   * Returns memory for at least {@code bytes} bytes: {@code held} if it is large enough, otherwise
   * new memory of at least twice the size. If the memory is new, the caller must no longer use
   * {@code held}.
   *
   * @param held memory from this class, or {@link MemorySegment#NULL}
   */
  public static MemorySegment grown(Arena arena, MemorySegment held, long bytes) {
    if (held.byteSize() >= bytes) {
      return held;
    }
    if (held.byteSize() >= LARGE) {
      // Maps fresh pages at the same address. This frees the written pages now; the arena unmaps
      // the address range later.
      map(held.address(), held.byteSize(), PRIVATE | ANONYMOUS | FIXED);
    }
    return allocate(arena, Math.max(bytes, 2 * held.byteSize()));
  }

  private static long map(long place, long bytes, int flags) {
    long address = MAP.call(place, bytes, READ_AND_WRITE, flags, NO_FILE, 0, 0, 0);
    if (address == FAILED) {
      throw new OutOfMemoryError(
          "the operating system did not provide %,d bytes of memory".formatted(bytes));
    }
    return address;
  }
}
