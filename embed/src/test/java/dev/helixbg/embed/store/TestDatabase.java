package dev.helixbg.embed.store;

import dev.helixbg.embed.store.Database.Schema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Databases for tests, in folders that the tests delete. */
public final class TestDatabase {
  /** The name of their files. */
  public static final String NAME = "kb.db";

  private TestDatabase() {}

  /** A database of some tables, that fails the test when it is made anew. */
  public static Database in(Path folder, String... tables) {
    return in(
        folder,
        new Schema(1, List.of(tables)),
        warning -> {
          throw new AssertionError(warning);
        });
  }

  /** The same with a schema, and with a consumer of what is made anew. */
  public static Database in(Path folder, Schema schema, Consumer<String> warnings) {
    prepare();
    return new Database(folder.resolve(NAME), schema, warnings);
  }

  /** Unpacks the native library into a folder that all tests of a module share. */
  public static void prepare() {
    try {
      Database.prepare(Path.of("target", "test-natives").toAbsolutePath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of rows of a table. */
  public static int rows(Database database, String table) {
    return database.read(connection -> Sql.number(connection, "SELECT COUNT(*) FROM " + table));
  }

  /** Runs SQL statements that no store would run, such as one that damages a row. */
  public static void change(Database database, String sql) {
    database.write(
        Database.Durability.COMPUTED,
        connection -> {
          Sql.execute(connection, sql);
          return null;
        });
  }
}
