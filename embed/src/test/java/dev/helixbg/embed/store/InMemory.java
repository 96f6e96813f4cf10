package dev.helixbg.embed.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Creates temporary folders in memory, for tests that sync thousands of files, which takes long on
 * a disk.
 */
public final class InMemory implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
      throws IOException {
    Path memory = Path.of("/dev/shm");
    return Files.isWritable(memory)
        ? Files.createTempDirectory(memory, "store")
        : Files.createTempDirectory("store");
  }
}
