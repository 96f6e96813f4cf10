package dev.helixbg.embed.store;

import dev.helixbg.embed.store.Database.Schema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

public final class TestDatabase {
  public static final String NAME = "kb.db";

  private TestDatabase() {}

  public static Database in(Path folder, String... tables) {
    return in(
        folder,
        new Schema(1, List.of(tables)),
        warning -> {
          throw new AssertionError(warning);
        });
  }

  public static Database in(Path folder, Schema schema, Consumer<String> warnings) {
    prepare();
    return new Database(folder.resolve(NAME), schema, warnings);
  }

  public static void prepare() {
    try {
      Database.prepare(Path.of("target", "test-natives").toAbsolutePath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static int rows(Database database, String table) {
    return database.read(connection -> Sql.number(connection, "SELECT COUNT(*) FROM " + table));
  }

  public static void change(Database database, String sql) {
    database.write(
        Database.Durability.COMPUTED,
        connection -> {
          Sql.execute(connection, sql);
          return null;
        });
  }
}
