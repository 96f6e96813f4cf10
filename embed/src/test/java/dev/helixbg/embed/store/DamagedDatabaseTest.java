package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Database.Schema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class DamagedDatabaseTest {
  private static final int ROWS = 300;
  private static final int HEADER = 100;
  private static final int PAGE = 4096;

  @TempDir(factory = InMemory.class)
  Path folder;

  private Path file;
  private Path aside;
  private final List<String> warnings = new ArrayList<>();

  @BeforeEach
  void name() {
    file = folder.resolve(TestDatabase.NAME);
    aside = folder.resolve(TestDatabase.NAME + ".damaged");
  }

  private Database open() {
    return TestDatabase.in(folder, DatabaseTest.SCHEMA, warnings::add);
  }

  private void fill(Database database) {
    database.write(
        Durability.COMPUTED,
        connection -> {
          for (int i = 1; i < ROWS; i++) {
            Sql.execute(
                connection, "INSERT INTO said (word) VALUES ('" + ("word" + i).repeat(9) + "')");
          }
          return null;
        });
  }

  private byte[] whole() throws IOException {
    try (Database database = open()) {
      fill(database);
    }
    return Files.readAllBytes(file);
  }

  private void clear() throws IOException {
    try (var files = Files.list(folder)) {
      for (Path each : files.toList()) {
        Files.delete(each);
      }
    }
    warnings.clear();
  }

  private boolean isAside() {
    return Files.exists(aside, LinkOption.NOFOLLOW_LINKS);
  }

  private boolean use(String what) {
    try {
      for (String word : List.of("one", "two")) {
        try (Database database = open()) {
          DatabaseTest.said(database);
          DatabaseTest.say(database, word);
          List<String> said = DatabaseTest.said(database);
          assertTrue(said.contains(word), () -> what + ": " + said);
          if (isAside()) {
            assertEquals("first", said.getFirst(), what);
            assertEquals(Optional.empty(), database.fault(), what);
          }
        }
      }
    } catch (StoreException e) {
      throw new AssertionError(what + ": " + e.getMessage(), e);
    }
    assertEquals(isAside() ? 1 : 0, warnings.size(), () -> what + ": " + warnings);
    return isAside();
  }

  private void assertMadeAnew(String what) {
    assertTrue(use(what), what);
    assertEquals(
        List.of(
            file
                + " could not be used: it was renamed to kb.db.damaged, and its contents are"
                + " computed again. Your decisions are kept"),
        warnings);
    try (Database database = open()) {
      assertEquals(List.of("first", "one", "two"), DatabaseTest.said(database), what);
    }
  }

  /**
   * SQLite treats a file shorter than a header as empty, and missing bytes at the end of the last
   * page as zeros.
   */
  @Test
  void aFileThatIsCutAnywhereIsMadeAnew() throws IOException {
    byte[] whole = whole();
    assertTrue(whole.length > 8 * PAGE, whole.length + " bytes");
    for (int length = 0; length < whole.length; length += length < HEADER ? 1 : 311) {
      clear();
      Files.write(file, Arrays.copyOf(whole, length));
      boolean isAnew = use("cut at " + length);
      assertTrue(length > 0 || !isAnew, "an empty file is a new database");
      assertTrue(isAnew || length < HEADER || length > whole.length - PAGE, "cut at " + length);
    }
  }

  @Test
  void anyFlippedBitLeavesADatabaseThatWorks() throws IOException {
    byte[] bytes = whole();
    Random random = new Random(7);
    int anew = 0;
    for (int i = 0; i < HEADER * 8 + 400; i++) {
      clear();
      int bit = i < HEADER * 8 ? i : random.nextInt(bytes.length * 8);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, bytes);
      anew += use("bit " + bit % 8 + " of byte " + bit / 8) ? 1 : 0;
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
    assertTrue(anew > 100, anew + " made anew");
  }

  /** A killed process can leave committed changes that are only in the write-ahead log. */
  @Test
  void aLogThatIsCutOrFlippedCostsTheChangesFromThereOn() throws IOException {
    byte[] database;
    byte[] log;
    List<String> all;
    Path logFile = folder.resolve(TestDatabase.NAME + "-wal");
    try (Database filled = open()) {
      fill(filled);
      for (int i = 0; i < 20; i++) {
        DatabaseTest.say(filled, "late " + i);
      }
      all = DatabaseTest.said(filled);
      database = Files.readAllBytes(file);
      log = Files.readAllBytes(logFile);
    }
    assertTrue(log.length > 20 * PAGE, log.length + " bytes of log");
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      clear();
      byte[] damaged = log.clone();
      if (i % 2 == 0) {
        damaged = Arrays.copyOf(log, random.nextInt(log.length));
      } else {
        damaged[random.nextInt(log.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(file, database);
      Files.write(logFile, damaged);
      try (Database left = open()) {
        List<String> said = DatabaseTest.said(left);
        assertEquals(all.subList(0, said.size()), said, "damage " + i);
        DatabaseTest.say(left, "more");
        assertEquals(said.size() + 1, DatabaseTest.said(left).size());
      }
      assertEquals(List.of(), warnings, "damage " + i);
    }
  }

  @Test
  void garbageIsMovedAside() throws IOException {
    Random random = new Random(7);
    for (int length : new int[] {HEADER, 511, 512, 4096, 100_000}) {
      clear();
      byte[] garbage = new byte[length];
      random.nextBytes(garbage);
      Files.write(file, garbage);
      assertMadeAnew(length + " bytes of garbage");
      assertEquals(length, Files.size(aside));
      clear();
      Files.write(file, new byte[length]);
      use(length + " zeros");
    }
  }

  /** A sparse file of 15 TB is moved aside as fast as a small file. */
  @Test
  void aHugeSparseFileIsMovedAside() throws IOException {
    Files.write(file, new byte[] {'x'});
    try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      channel.position(15L << 40);
      channel.write(ByteBuffer.wrap(new byte[1]));
    } catch (IOException e) {
      return; // this file system has no sparse files of this size
    }
    assertMadeAnew("sparse");
  }

  @Test
  void whatIsNoFileIsMovedAside() throws Exception {
    Files.createDirectories(file.resolve("a/b"));
    assertMadeAnew("directory");
    Files.delete(aside.resolve("a/b"));
    Files.delete(aside.resolve("a"));
    clear();

    Path other = folder.resolve("other.db");
    byte[] whole = whole();
    Files.move(file, other);
    Files.createSymbolicLink(file, other);
    assertMadeAnew("link");
    assertTrue(Arrays.equals(whole, Files.readAllBytes(other)), "the target is untouched");
    clear();

    Files.createSymbolicLink(file, folder.resolve("nowhere"));
    assertMadeAnew("dangling link");
    assertFalse(Files.exists(folder.resolve("nowhere")));
    clear();

    assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
    assertMadeAnew("pipe");
  }

  @Test
  void anOlderVersionAndAForeignDatabaseAreMovedAside() throws IOException {
    for (int version : new int[] {-1, 0, 3}) {
      clear();
      List<String> tables = List.of("CREATE TABLE foreign_one (a INTEGER)");
      try (Database other = TestDatabase.in(folder, new Schema(2, tables), warnings::add)) {
        TestDatabase.change(other, "PRAGMA user_version = " + version);
      }
      assertMadeAnew("version " + version);
    }
  }

  /**
   * An older program refuses a newer database. If it moved the database aside, two versions could
   * do so by turns forever.
   */
  @Test
  void aNewerVersionIsRefusedAndStays() throws IOException {
    List<String> tables = List.of("CREATE TABLE later (a INTEGER)");
    try (Database newer = TestDatabase.in(folder, new Schema(2, tables), warnings::add)) {
      TestDatabase.change(newer, "INSERT INTO later VALUES (7)");
      try (Database older = open()) {
        StoreException refused = assertThrows(StoreException.class, () -> DatabaseTest.said(older));
        assertTrue(refused.getMessage().contains("a newer helix-bg"), refused.getMessage());
      }
      assertEquals(
          7, (int) newer.read(connection -> Sql.number(connection, "SELECT a FROM later")));
    }
    assertEquals(List.of(), warnings);
    assertFalse(Files.exists(aside));
  }

  @Test
  void aTableThatIsMissingOrHasOtherColumnsIsMadeAnew() throws IOException {
    for (String table : List.of("other (a INTEGER)", "said (number INTEGER PRIMARY KEY, a)")) {
      clear();
      Schema schema = new Schema(1, List.of("CREATE TABLE " + table));
      try (Database other = TestDatabase.in(folder, schema, warnings::add)) {
        assertEquals(Optional.empty(), other.fault());
      }
      assertMadeAnew(table);
    }
  }

  /** If a database is damaged several times, only the last damaged file is kept. */
  @Test
  void eachDamageIsMovedAsideOnce() throws IOException {
    for (int i = 1; i <= 3; i++) {
      Files.write(file, new byte[1000 + i]);
      Files.write(file, new byte[] {'x'}, StandardOpenOption.APPEND);
      try (Database database = open()) {
        assertEquals(List.of("first"), DatabaseTest.said(database));
      }
      assertEquals(i, warnings.size());
      assertEquals(1001 + i, Files.size(aside));
    }
  }

  /**
   * If a database is damaged while it is open, every object that has it open continues with the new
   * database.
   */
  @Test
  void damageUnderAnOpenConnectionIsFoundByTheNextUse() throws IOException {
    try (Database one = open();
        Database two = open()) {
      DatabaseTest.say(one, "one");
      DatabaseTest.say(two, "two");
      TestDatabase.change(one, "PRAGMA user_version = 1; DROP TABLE said");
      DatabaseTest.say(two, "three");
      assertEquals(List.of("first", "three"), DatabaseTest.said(one));
    }
    assertEquals(1, warnings.size());
  }
}
