package dev.helixbg.daemon;

import dev.helixbg.daemon.kb.WritableKb;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The embedding model and the pair judge as the built program unpacks and prepares them, which
 * takes it seven seconds and 310 MB: once in a JVM of tests. Homes get them by hard links; nothing
 * writes into these files.
 */
final class PreparedModel {
  /** What a cache folder holds of it: no keys, no samples. */
  private static final List<String> PARTS = List.of("models", "natives");

  private static final Map<Path, Path> MADE = new HashMap<>();

  private PreparedModel() {}

  /**
   * Puts it into a cache folder that is new. Where files cannot be linked, the program prepares its
   * own, as it does without this.
   *
   * @param cache what the program calls XDG_CACHE_HOME
   * @param dist the folder that the build makes
   */
  static void linkInto(Path cache, Path dist) throws IOException {
    Path made = made(dist);
    try {
      putInto(
          cache,
          made,
          (file, link) -> {
            if (!Files.exists(link)) {
              Files.createLink(link, file);
            }
          });
    } catch (UnsupportedOperationException | FileSystemException e) {
      // The program prepares its own.
    }
  }

  /** As {@link #linkInto}, of files that may be given to another user. */
  static void copyInto(Path cache, Path dist) throws IOException {
    putInto(
        cache,
        made(dist),
        (file, copy) -> Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES));
  }

  private interface Put {
    void at(Path file, Path target) throws IOException;
  }

  private static void putInto(Path cache, Path made, Put put) throws IOException {
    for (String part : PARTS) {
      try (Stream<Path> files = Files.walk(made.resolve("helix-bg").resolve(part))) {
        for (Path file : files.toList()) {
          Path target = cache.resolve(made.relativize(file).toString());
          if (Files.isDirectory(file)) {
            Files.createDirectories(target);
          } else {
            put.at(file, target);
          }
        }
      }
    }
  }

  private static synchronized Path made(Path dist) throws IOException {
    Path made = MADE.get(dist);
    if (made == null) {
      Path home = Files.createTempDirectory("prepared-model");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(home)));
      RealDaemon program = RealDaemon.fromNothing(home, dist);
      WritableKb kb = new WritableKb(home.resolve("kb"), new Random(1));
      kb.append("queue", "A lease of the queue expires after thirty seconds.");
      kb.append("queue", "Leases in the queue expire after thirty seconds.");
      try {
        program.run("one-shot", kb.kb().folder().toString()); // which reads a pair
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
      made = program.cache();
      MADE.put(dist, made);
    }
    return made;
  }

  private static void delete(Path home) {
    try {
      Torture.delete(home);
    } catch (IOException e) {
      System.err.println("left behind: " + home + ": " + e);
    }
  }
}
