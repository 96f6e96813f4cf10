package dev.helixbg.insight.findings;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A database with nothing in it, in a folder of its own that is deleted when it is closed. */
public record EmptyStore(Database database) implements AutoCloseable {

  /**
   * @param cache gets the native library, and the folder
   * @param table the SQL statement that creates its table
   */
  public static EmptyStore in(Path cache, String table) throws IOException {
    Database.prepare(cache);
    Path folder = Files.createTempDirectory(Files.createDirectories(cache), "findings-bench");
    Schema schema = new Schema(1, List.of(table));
    return new EmptyStore(new Database(folder.resolve("kb.db"), schema, System.err::println));
  }

  @Override
  public void close() throws IOException {
    database.close();
    Path folder = database.file().getParent();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
