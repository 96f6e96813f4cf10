package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every source of every module is formatted as scripts/format does it. */
class FormatTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void everySourceIsFormatted() throws IOException {
    List<Path> sources = sources();
    assertTrue(sources.size() > 50, "sources are searched in " + ROOT);
    List<Path> unformatted = sources.parallelStream().filter(FormatTest::isUnformatted).toList();
    assertEquals(List.of(), unformatted, "run scripts/format");
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(ROOT::relativize)
          .filter(file -> file.getNameCount() > 1 && file.getName(1).toString().equals("src"))
          .toList();
    }
  }

  private static boolean isUnformatted(Path file) {
    try {
      String source = Files.readString(ROOT.resolve(file));
      return !new Formatter().formatSourceAndFixImports(source).equals(source);
    } catch (IOException | FormatterException e) {
      throw new IllegalStateException(file.toString(), e);
    }
  }
}
