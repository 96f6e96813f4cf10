package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import dev.helixbg.config.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every source of every module is formatted as scripts/format does it. To format all of them takes
 * half a minute of processor time: a source that was found formatted is not looked at again.
 */
class FormatTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Hashes of sources that were formatted, with the formatter's jar; for other checkouts, too. */
  private static final Path FORMATTED =
      Path.of(
          System.getenv()
              .getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache"),
          "helix-bg/formatted");

  private static final String FORMATTER =
      Path.of(Formatter.class.getProtectionDomain().getCodeSource().getLocation().getPath())
          .getFileName()
          .toString();

  @Test
  void everySourceIsFormatted() throws IOException {
    List<Path> sources = sources();
    assertTrue(sources.size() > 50, "sources are searched in " + ROOT);
    Set<String> known =
        Files.exists(FORMATTED) ? Set.copyOf(Files.readAllLines(FORMATTED)) : Set.of();
    Set<String> formatted = ConcurrentHashMap.newKeySet();
    List<Path> unformatted =
        sources.parallelStream().filter(file -> isUnformatted(file, known, formatted)).toList();
    Files.createDirectories(FORMATTED.getParent());
    Files.write(FORMATTED, formatted);
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

  private static boolean isUnformatted(Path file, Set<String> known, Set<String> formatted) {
    try {
      String source = Files.readString(ROOT.resolve(file));
      String hash = Sha256.of(List.of(FORMATTER, source));
      boolean isFormatted =
          known.contains(hash) || new Formatter().formatSourceAndFixImports(source).equals(source);
      if (isFormatted) {
        formatted.add(hash);
      }
      return !isFormatted;
    } catch (IOException | FormatterException e) {
      throw new IllegalStateException(file.toString(), e);
    }
  }
}
