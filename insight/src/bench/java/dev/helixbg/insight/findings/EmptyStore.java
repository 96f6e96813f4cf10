package dev.helixbg.insight.findings;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** An empty database in a temporary folder, which {@link #close} deletes. */
public record EmptyStore(Database database) implements AutoCloseable {

  /**
   * Makes a database.
   *
   * @param cache folder for SQLite's native library and for the temporary folder
   * @param table the SQL statement that creates the table
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
