package dev.helixbg.daemon.host;

import dev.helixbg.config.natives.NativeFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the memory of the process, and returns unused memory to the system. */
public final class NativeMemory {
  private static final Logger LOG = LoggerFactory.getLogger(NativeMemory.class);

  private NativeMemory() {}

  /** Returns the resident memory in bytes; empty if unknown. */
  public static Optional<Long> resident() {
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
   * Collects garbage, and makes glibc return freed native memory to the system. Otherwise glibc
   * keeps some hundred megabytes after a model was released.
   */
  public static void giveBack() {
    System.gc();
    // int malloc_trim(size_t pad)
    NativeFunction.ofC("malloc_trim")
        .ifPresent(trim -> LOG.debug("malloc_trim: {}", (int) trim.call(0)));
  }
}
