package dev.helixbg.daemon;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the process holds of the machine's memory, and giving back what it does not need. */
final class NativeMemory {
  private static final Logger LOG = LoggerFactory.getLogger(NativeMemory.class);

  // Of glibc's malloc.h.
  private static final int M_TRIM_THRESHOLD = -1;
  private static final int M_MMAP_THRESHOLD = -3;
  private static final int M_ARENA_MAX = -8;

  private NativeMemory() {}

  /** Resident bytes; empty where nothing tells. */
  static Optional<Long> resident() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst();
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Has glibc give back what is freed, for a process that rests most of its life. Left to itself,
   * it makes each thread a heap of its own, and keeps ever larger blocks once large ones were
   * freed, as compilers and models do: another 10 to 35 MB, by chance. Nothing happens elsewhere.
   */
  static void keepLittle() {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
  }

  private static void mallopt(int parameter, int value) {
    Optional<MemorySegment> mallopt = Linker.nativeLinker().defaultLookup().find("mallopt");
    if (mallopt.isPresent()) {
      try {
        // int mallopt(int param, int value)
        int done =
            (int)
                Linker.nativeLinker()
                    .downcallHandle(
                        mallopt.get(), FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT))
                    .invokeExact(parameter, value);
        LOG.debug("mallopt {}: {}", parameter, done);
      } catch (Throwable e) {
        LOG.debug("mallopt failed", e);
      }
    }
  }

  /**
   * Collects garbage, and lets glibc give back what native libraries have freed: it keeps that
   * otherwise, some hundred megabytes after a model was released.
   */
  static void giveBack() {
    System.gc();
    Optional<MemorySegment> trim = Linker.nativeLinker().defaultLookup().find("malloc_trim");
    if (trim.isPresent()) {
      try {
        // int malloc_trim(size_t pad)
        int released =
            (int)
                Linker.nativeLinker()
                    .downcallHandle(trim.get(), FunctionDescriptor.of(JAVA_INT, JAVA_LONG))
                    .invokeExact(0L);
        LOG.debug("malloc_trim: {}", released);
      } catch (Throwable e) {
        LOG.debug("malloc_trim failed", e);
      }
    }
  }
}
