package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.googlejavaformat.java.Main;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that every source is formatted as by scripts/format. Formatting all sources takes 30 s of
 * processor time, so sources that were once found formatted are not checked again.
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
      Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().getPath())
          .getFileName()
          .toString();

  @Test
  void everySourceIsFormatted() throws Exception {
    List<Path> sources = sources();
    assertTrue(sources.size() > 50, "sources are searched in " + ROOT);
    Set<String> known =
        Files.exists(FORMATTED) ? Set.copyOf(Files.readAllLines(FORMATTED)) : Set.of();
    Map<String, String> hashes = new TreeMap<>();
    for (Path source : sources) {
      String text = Files.readString(ROOT.resolve(source));
      hashes.put(source.toString(), Sha256.of(List.of(FORMATTER, text)));
    }
    List<String> unformatted =
        unformatted(
            hashes.keySet().stream().filter(name -> !known.contains(hashes.get(name))).toList());
    hashes.keySet().removeAll(unformatted);
    PrivateFiles.makeFolders(FORMATTED.getParent());
    Files.write(FORMATTED, hashes.values());
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

  /** Runs the formatter in a JVM without C2, which saves a third of the processor time. */
  private static List<String> unformatted(List<String> sources) throws Exception {
    if (sources.isEmpty()) {
      return List.of();
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--add-exports"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.add("--dry-run");
    command.addAll(sources);
    Process process =
        new ProcessBuilder(command)
            .directory(ROOT.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> printed = process.inputReader().readAllLines();
    assertEquals(0, process.waitFor(), "the formatter: " + printed);
    return printed;
  }
}
