package dev.helixbg.daemon.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the shortening of the stderr file, which a service manager keeps open. */
class ServiceErrorLogTest {
  @TempDir Path folder;

  private void fill(OutputStream out, int bytes) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; lines.length() < bytes; i++) {
      lines.append("line ").append(i).append(" é\n");
    }
    out.write(lines.append("the last line\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void itIsEmptiedAndItsHolderGoesOnAppending() throws IOException {
    Path file = folder.resolve("service.err");
    try (OutputStream manager =
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      fill(manager, ServiceErrorLog.MOST + 1);
      ServiceErrorLog.shorten(file);
      assertEquals(0, Files.size(file));
      manager.write("more\n".getBytes(StandardCharsets.UTF_8));
      assertEquals("more\n", Files.readString(file));
      assertEquals(Optional.of("more"), ServiceErrorLog.lastLine(file));
    }
  }

  @Test
  void whatIsNotTooLongIsLeftAlone() throws IOException {
    Path file = folder.resolve("service.err");
    ServiceErrorLog.shorten(file);
    assertTrue(Files.notExists(file));
    Files.write(file, new byte[ServiceErrorLog.MOST]);
    ServiceErrorLog.shorten(file);
    assertEquals(ServiceErrorLog.MOST, Files.size(file));
  }

  @Test
  void nothingIsWrittenThroughALink() throws IOException {
    Path other = folder.resolve("other");
    Files.write(other, new byte[ServiceErrorLog.MOST + 1]);
    Path link = Files.createSymbolicLink(folder.resolve("service.err"), other);
    ServiceErrorLog.shorten(link);
    assertEquals(ServiceErrorLog.MOST + 1, Files.size(other));
  }
}
