package dev.helixbg.daemon;

import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.kb.WritableKb;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The embedding model and the pair judge, as the built program unpacks and prepares them. This
 * takes 7 s and 310 MB, so it is done once for all JVMs that run tests at the same time. Each
 * test's home gets hard links to the files. No test writes to these files.
 */
final class PreparedModel {
  /** Parts of a cache folder that belong to the models. */
  private static final List<String> PARTS = List.of("models", "natives");

  private static final Map<Path, Path> MADE = new HashMap<>();

  private PreparedModel() {}

  /**
   * Links the files into a new cache folder; copies files that cannot be linked.
   *
   * @param cache value of XDG_CACHE_HOME for the program
   * @param dist the folder that the build makes
   */
  static void linkInto(Path cache, Path dist) throws IOException {
    putInto(cache, dist, PreparedModel::link);
  }

  private static void link(Path file, Path link) throws IOException {
    if (!Files.exists(link)) {
      try {
        Files.createLink(link, file);
      } catch (UnsupportedOperationException | FileSystemException e) {
        copy(file, link);
      }
    }
  }

  private static void copy(Path file, Path copy) throws IOException {
    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
  }

  /** Copies the files into a new cache folder, so that they can be given to another user. */
  static void copyInto(Path cache, Path dist) throws IOException {
    putInto(cache, dist, PreparedModel::copy);
  }

  private interface Put {
    void at(Path file, Path target) throws IOException;
  }

  private static void putInto(Path cache, Path dist, Put put) throws IOException {
    Path made = made(dist);
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
    if (!MADE.containsKey(dist)) {
      MADE.put(dist, shared(dist));
    }
    return MADE.get(dist);
  }

  /**
   * Returns the shared folder. The first JVM that needs it makes it, and the last JVM that uses it
   * deletes it.
   */
  private static Path shared(Path dist) throws IOException {
    String build = Sha256.of(List.of(dist.toString(), Files.readString(dist.resolve("built"))));
    Path home =
        Path.of(System.getProperty("java.io.tmpdir"), "prepared-model-" + build.substring(0, 8));
    Path made = home.resolve("made");
    FileChannel file =
        FileChannel.open(
            dist.resolveSibling("prepared-model.lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    while (true) {
      FileLock withOthers = file.lock(0, Long.MAX_VALUE, true);
      if (Files.exists(made)) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(home, file, withOthers)));
        return home.resolve("cache");
      }
      withOthers.release();
      // Does not wait: JVMs that use the folder keep their lock until they end.
      try (FileLock alone = file.tryLock()) {
        if (alone != null && !Files.exists(made)) {
          Torture.delete(home);
          make(home, dist);
          Files.createFile(made);
        }
      }
    }
  }

  private static void make(Path home, Path dist) throws IOException {
    RealDaemon program = RealDaemon.fromNothing(home, dist);
    WritableKb kb = new WritableKb(home.resolve("kb"), new Random(1));
    kb.append("queue", "A lease of the queue expires after thirty seconds.");
    kb.append("queue", "Leases in the queue expire after thirty seconds.");
    try {
      program.run(
          "one-shot",
          kb.kb().folder().toString()); // has the pair judge read a pair, which prepares the judge
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static void leave(Path home, FileChannel file, FileLock withOthers) {
    try (file) {
      withOthers.release();
      if (file.tryLock() != null) {
        Torture.delete(home);
      }
    } catch (IOException e) {
      System.err.println("left behind: " + home + ": " + e);
    }
  }
}
