package dev.helixbg.llm.gguf;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
  private static final int BYTES = 1 << 20;

  @TempDir Path folder;

  @Test
  void aFileLargerThanMemoryIsNotReadAhead() throws IOException {
    Path path = Files.write(folder.resolve("model"), new byte[BYTES]);
    try (MappedFile file = MappedFile.open(path)) {
      assertFalse(file.fits(BYTES));
      assertTrue(file.fits(BYTES / 3 * 4 + 4));
      assertTrue(file.fitsMemory());
    }
  }
}
