package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Database.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DatabaseTest {
  static final String TABLE =
      "CREATE TABLE said (number INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL)";

  static final Schema SCHEMA =
      new Schema(
          1,
          List.of(TABLE),
          connection -> {
            Sql.execute(connection, "INSERT INTO said (word) VALUES ('first')");
            return null;
          });

  @TempDir(factory = InMemory.class)
  Path folder;

  private Path file;
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void name() {
    file = folder.resolve(TestDatabase.NAME);
  }

  private Database open() {
    return TestDatabase.in(folder, SCHEMA, warnings::add);
  }

  static void say(Database database, String word) {
    database.write(Durability.COMPUTED, connection -> insert(connection, word));
  }

  private static Void insert(Connection connection, String word) throws SQLException {
    Sql.execute(connection, "INSERT INTO said (word) VALUES ('" + word + "')");
    return null;
  }

  static List<String> said(Database database) {
    return database.read(
        connection -> {
          List<String> words = new ArrayList<>();
          try (Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("SELECT word FROM said ORDER BY number")) {
            while (rows.next()) {
              words.add(rows.getString(1));
            }
          }
          return words;
        });
  }

  @Test
  void writtenRowsAreThereAfterTheNextOpening() {
    try (Database database = open()) {
      say(database, "one");
    }
    try (Database database = open()) {
      assertEquals(List.of("first", "one"), said(database));
      assertEquals(Optional.empty(), database.fault());
      assertEquals(2, database.added("said"));
    }
    assertEquals(List.of(), warnings);
  }

  @Test
  void twoDatabasesOfOneFileSeeTheWritesOfEachOther() {
    try (Database one = open();
        Database two = open()) {
      writeInTurn(one, two);
    }
    assertEquals(List.of(), warnings);
  }

  private static void writeInTurn(Database one, Database two) {
    for (int i = 0; i < 20; i++) {
      say(one, "one" + i);
      assertEquals("one" + i, said(two).getLast());
      say(two, "two" + i);
      assertEquals("two" + i, said(one).getLast());
    }
  }

  /**
   * SQLite has no write-ahead log on file systems without shared memory, such as network file
   * systems.
   */
  @Test
  void withoutAWriteAheadLogNothingIsLostEither() throws Exception {
    try (Database database = open()) {
      assertEquals(List.of("first"), said(database));
    }
    try (Connection plain = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = plain.createStatement()) {
      statement.execute("PRAGMA journal_mode = DELETE");
    }
    try (Database one = open();
        Database two = open()) {
      writeInTurn(one, two);
      assertEquals(Optional.empty(), one.fault());
      assertFalse(Files.exists(folder.resolve(TestDatabase.NAME + "-wal")), "there is no such log");
    }
    try (Database database = open()) {
      assertEquals(41, said(database).size());
    }
    assertEquals(List.of(), warnings);
  }

  @Test
  void aChangeIsMadeAllOrNothing() {
    try (Database database = open()) {
      assertThrows(
          IllegalStateException.class,
          () ->
              database.write(
                  Durability.FOREVER,
                  connection -> {
                    insert(connection, "half");
                    throw new IllegalStateException("half done");
                  }));
      StoreException e =
          assertThrows(
              StoreException.class,
              () ->
                  database.write(
                      Durability.FOREVER,
                      connection -> {
                        insert(connection, "half");
                        throw new IOException("the copy cannot be written");
                      }));
      assertTrue(e.getMessage().contains(file + ": the copy cannot be written"), e.getMessage());
      assertEquals(List.of("first"), said(database));
    }
    assertEquals(List.of(), warnings);
  }

  @Test
  void aClosedDatabaseIsAnErrorInWords() {
    Database database = open();
    say(database, "one");
    database.close();
    database.close();
    assertTrue(
        assertThrows(StoreException.class, () -> said(database)).getMessage().contains("closed"));
  }

  @Test
  void aNameWithSignsOfAnAddressIsAName() throws IOException {
    Path odd = Files.createDirectory(folder.resolve("what? is #1 50%41 é"));
    try (Database database = TestDatabase.in(odd, SCHEMA, warnings::add)) {
      say(database, "one");
    }
    assertEquals(List.of(TestDatabase.NAME, TestDatabase.NAME + ".lock"), OnDisk.names(odd));
    assertEquals(List.of(odd.getFileName().toString()), OnDisk.names(folder));
  }

  @Test
  void aFolderThatCannotBeWrittenToIsAnErrorInWords() throws IOException {
    Path closed = Files.createDirectory(folder.resolve("closed"));
    OnDisk.setMode(closed, "r-x------");
    // The superuser can write to the closed folder, but not even the superuser can write to /sys.
    Path readOnly = Files.isWritable(closed) ? Path.of("/sys") : closed;
    for (Path folder : List.of(readOnly, folder.resolve("missing"))) {
      try (Database database = TestDatabase.in(folder, SCHEMA, warnings::add)) {
        for (int i = 0; i < 2; i++) {
          String said = assertThrows(StoreException.class, () -> said(database)).getMessage();
          assertTrue(
              said.startsWith("cannot use the database " + folder.resolve(TestDatabase.NAME)),
              said);
          assertTrue(
              said.contains(folder == readOnly ? "permission" : "its folder does not exist"), said);
          assertTrue(said.endsWith(", or set another folder: state = \"...\""), said);
        }
      }
    }
    assertEquals(List.of(), warnings);
  }

  /** If filling a new database fails, the next attempt begins with an empty database. */
  @Test
  void aDatabaseThatCannotBeFilledIsNotThere() {
    int[] attempts = new int[1];
    Schema failing =
        new Schema(
            1,
            List.of(TABLE),
            connection -> {
              insert(connection, "first");
              if (attempts[0]++ < 2) {
                throw new IOException("the copy is damaged");
              }
              return null;
            });
    try (Database database = TestDatabase.in(folder, failing, warnings::add)) {
      for (int i = 0; i < 2; i++) {
        StoreException e = assertThrows(StoreException.class, () -> said(database));
        assertTrue(e.getMessage().contains("the copy is damaged"), e.getMessage());
      }
      assertEquals(List.of("first"), said(database));
    }
    assertEquals(List.of(), warnings, "the file itself is whole");
  }

  /** If the file is deleted or moved while it is open, a new database is created. */
  @Test
  void aFileThatIsDeletedOrMovedUnderAnOpenConnectionIsMadeAnew() throws IOException {
    try (Database one = open();
        Database two = open()) {
      say(one, "one");
      say(two, "two");
      Files.delete(file);
      assertEquals(List.of("first"), said(one));
      say(two, "three");
      assertEquals(List.of("first", "three"), said(one));
      Files.move(file, folder.resolve("elsewhere.db"));
      say(one, "four");
      assertEquals(List.of("first", "four"), said(two));
      assertEquals(Optional.empty(), two.fault());
    }
    assertEquals(List.of(), warnings, "nothing was damaged");
  }

  /**
   * A change in a file that was moved aside meanwhile would be lost, so it is made again in the new
   * file.
   */
  @Test
  void aChangeOfAFileThatIsMovedAsideMeanwhileIsMadeAgain() throws IOException {
    try (Database database = open()) {
      say(database, "one");
      int[] done = new int[1];
      database.write(
          Durability.FOREVER,
          connection -> {
            if (done[0]++ == 0) {
              Files.move(file, folder.resolve("elsewhere.db"));
            }
            return insert(connection, "kept");
          });
      assertEquals(2, done[0]);
      assertEquals(List.of("first", "kept"), said(database));
    }
  }

  @Test
  void staleRowsAreForgottenWhenTheyAreMostOfMany() {
    try (Database database = open()) {
      database.write(
          Durability.COMPUTED,
          connection -> {
            for (int i = 0; i < 599; i++) {
              insert(connection, "word");
            }
            return null;
          });
      database.forgetStale("said", List.of("word", "number"), row -> number(row) > 257);
      assertEquals(600, said(database).size(), "257 are stale, and fewer than those in use");
      database.forgetStale("said", List.of("word", "number"), row -> number(row) > 301);
      assertEquals(299, said(database).size(), "301 were stale");
      database.forgetStale("said", List.of("word", "number"), row -> number(row) > 557);
      assertEquals(299, said(database).size(), "256 are always tolerated");
      database.forgetStale("said", List.of("word", "number"), row -> number(row) > 558);
      assertEquals(42, said(database).size());
      assertEquals(600, database.added("said"), "the number of added rows never falls");
    }
  }

  private static int number(List<String> row) {
    return Integer.parseInt(row.get(1));
  }
}
