package dev.helixbg.llm.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
  private static final int BYTES = 1 << 20;

  @TempDir Path folder;

  @Test
  void aFileLargerThanMemoryIsNotReadAhead() throws IOException {
    Path path = Files.write(folder.resolve("model"), new byte[BYTES]);
    try (MappedFile file = MappedFile.open(path)) {
      assertFalse(file.readAhead(BYTES));
      assertEquals(0, touched(path, 0));
      assertTrue(file.readAhead());
      assertEquals(BYTES >> 10, touched(path, BYTES >> 10));
    }
  }

  /** KB of a file's mapping that were touched; {@code unknown} where the system does not tell. */
  private static long touched(Path path, long unknown) throws IOException {
    Path maps = Path.of("/proc/self/smaps");
    if (!Files.exists(maps)) {
      return unknown;
    }
    Iterator<String> lines = Files.readAllLines(maps).iterator();
    while (lines.hasNext()) {
      if (lines.next().endsWith(path.toRealPath().toString())) {
        String line = lines.next();
        while (!line.startsWith("Rss:")) {
          line = lines.next();
        }
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError(path + " is not mapped");
  }
}
