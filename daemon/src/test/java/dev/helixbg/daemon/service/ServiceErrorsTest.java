package dev.helixbg.daemon.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of stderr, which a service manager holds open while it is shortened. */
class ServiceErrorsTest {
  @TempDir Path folder;

  private void fill(OutputStream out, int bytes) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; lines.length() < bytes; i++) {
      lines.append("line ").append(i).append(" é\n");
    }
    out.write(lines.append("the last line\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void theLastLinesStayAndWhoHoldsItOpenGoesOnAppending() throws IOException {
    Path file = folder.resolve("service.err");
    try (OutputStream manager =
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      fill(manager, ServiceErrors.MOST + 1);
      List<String> all = Files.readAllLines(file);
      ServiceErrors.shorten(file);
      assertTrue(Files.size(file) <= ServiceErrors.KEPT, "" + Files.size(file));
      assertTrue(Files.size(file) > ServiceErrors.KEPT - 100, "" + Files.size(file));
      List<String> kept = Files.readAllLines(file);
      assertEquals(all.subList(all.size() - kept.size(), all.size()), kept);

      manager.write("more\n".getBytes(StandardCharsets.UTF_8));
      kept.add("more");
      assertEquals(kept, Files.readAllLines(file));
      assertEquals(Optional.of("more"), ServiceErrors.lastLine(file));
    }
  }

  @Test
  void whatIsNotTooLongIsLeftAlone() throws IOException {
    Path file = folder.resolve("service.err");
    ServiceErrors.shorten(file);
    assertTrue(Files.notExists(file));
    Files.write(file, new byte[ServiceErrors.MOST]);
    ServiceErrors.shorten(file);
    assertEquals(ServiceErrors.MOST, Files.size(file));
  }

  @Test
  void aSingleEndlessLineGoesToo() throws IOException {
    Path file = folder.resolve("service.err");
    Files.write(file, new byte[ServiceErrors.MOST + 1]);
    ServiceErrors.shorten(file);
    assertEquals(0, Files.size(file));
  }

  @Test
  void nothingIsWrittenThroughALink() throws IOException {
    Path other = folder.resolve("other");
    Files.write(other, new byte[ServiceErrors.MOST + 1]);
    Path link = Files.createSymbolicLink(folder.resolve("service.err"), other);
    ServiceErrors.shorten(link);
    assertEquals(ServiceErrors.MOST + 1, Files.size(other));
  }
}
