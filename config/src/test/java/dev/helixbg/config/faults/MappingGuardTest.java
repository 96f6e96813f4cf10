package dev.helixbg.config.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(
    value = OS.LINUX,
    architectures = {"amd64", "aarch64"})
class MappingGuardTest {
  private static final int BYTES = 1 << 18;
  private static final int LEFT = 5000;

  @TempDir Path folder;

  private FileChannel file() throws IOException {
    byte[] sevens = new byte[BYTES];
    Arrays.fill(sevens, (byte) 7);
    Path path = Files.write(folder.resolve("file"), sevens);
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static long sum(MemorySegment mapping) {
    long sum = 0;
    for (long i = 0; i < mapping.byteSize(); i++) {
      sum += mapping.get(ValueLayout.JAVA_BYTE, i);
    }
    return sum;
  }

  @Test
  void behindTheEndOfAShortenedFileAreZeros() throws IOException {
    try (FileChannel file = file();
        Arena arena = Arena.ofShared()) {
      MemorySegment mapping = file.map(MapMode.READ_ONLY, 0, BYTES, arena);
      try (MappingGuard guard = MappingGuard.of(mapping).orElseThrow()) {
        assertEquals(7L * BYTES, sum(mapping));
        assertFalse(guard.isFaulted());
        file.truncate(LEFT);
        assertEquals(7L * LEFT, sum(mapping));
        assertTrue(guard.isFaulted());
      }
    }
  }

  /** The JVM's own handler still receives the faults of mappings without a guard. */
  @Test
  void anotherMappingFailsAsItDoesWithoutGuards() throws IOException {
    try (FileChannel file = file();
        Arena arena = Arena.ofShared()) {
      MemorySegment guarded = file.map(MapMode.READ_ONLY, 0, BYTES / 2, arena);
      MemorySegment other = file.map(MapMode.READ_ONLY, 0, BYTES, arena);
      try (MappingGuard guard = MappingGuard.of(guarded).orElseThrow()) {
        file.truncate(LEFT);
        assertThrows(InternalError.class, () -> other.get(ValueLayout.JAVA_BYTE, BYTES - 1));
        assertFalse(guard.isFaulted());
      }
    }
  }
}
