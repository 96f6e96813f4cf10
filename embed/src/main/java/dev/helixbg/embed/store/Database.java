package dev.helixbg.embed.store;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.natives.PackedLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteJDBCLoader;

/**
 * One SQLite database in a private folder. Threads use its single connection one at a time;
 * processes share the file.
 *
 * <p>If the database is damaged or has an older version, it is moved aside, and a new database is
 * created. A transaction that failed because of damage runs once more, on the new database. If
 * another process moved the file, or the user deleted it, a transaction also runs once more on a
 * new database. A database of a newer version is refused.
 */
public final class Database implements AutoCloseable {
  private static final String ASIDE = ".damaged";
  private static final Duration BUSY = Duration.ofSeconds(30);

  /**
   * Number to which a database's version is added to get its application_id. If the stored
   * application_id is not that sum, the stored version has a flipped bit.
   */
  private static final int OURS = 0x4842_0000;

  /** Size in bytes to which SQLite truncates a larger write-ahead log after a checkpoint. */
  private static final int LOG_BYTES = 16 << 20;

  private static final int FEW_STALE = 256;
  private static final String VERSION = "PRAGMA user_version";

  /**
   * SQLite's result codes that do not mean damage: PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT,
   * IOERR, FULL, CANTOPEN, PROTOCOL.
   */
  private static final Set<Integer> NO_DAMAGE = Set.of(3, 5, 6, 7, 8, 9, 10, 13, 14, 15);

  private static boolean isLibraryLoaded;

  private final Path file;
  private final Schema schema;
  private final Consumer<String> warnings;
  private Connection connection;

  private Object inode;
  private boolean closed;

  /**
   * Schema of a database.
   *
   * @param version number that must rise when a table changes
   * @param first initial transaction, which fills new tables, for example with data from a damaged
   *     database
   */
  public record Schema(int version, List<String> tables, Transaction<Void> first) {
    public Schema(int version, List<String> tables) {
      this(version, tables, connection -> null);
    }
  }

  /**
   * Work on the connection. It runs a second time, on a new database, if the first database is
   * damaged.
   */
  @FunctionalInterface
  public interface Transaction<T> {
    T with(Connection connection) throws SQLException, IOException;
  }

  public enum Durability {
    /** The changed data can be computed again, so the change may be lost in a power cut. */
    COMPUTED,
    /** The change is on the disk before the call returns. */
    FOREVER
  }

  /**
   * Describes a database, which the first transaction opens.
   *
   * @param file the file; its folder must exist and be writable by this user only
   * @param warnings receives a sentence when a database was moved aside
   */
  public Database(Path file, Schema schema, Consumer<String> warnings) {
    this.file = file;
    this.schema = schema;
    this.warnings = warnings;
  }

  /**
   * Loads SQLite's native library from the cache folder. Without this call, the first connection
   * would load the library, and a failure would look like a damaged database.
   *
   * @throws IOException when this platform has no such library, or it cannot be unpacked or loaded
   */
  public static synchronized void prepare(Path cache) throws IOException {
    if (!isLibraryLoaded) {
      String name = System.mapLibraryName("sqlitejdbc");
      String system = PackedLibraries.os().equals("osx") ? "Mac" : "Linux";
      String processor = PackedLibraries.isArm() ? "aarch64" : "x86_64";
      Path folder =
          PackedLibraries.unpack(
              cache, "sqlite", "/org/sqlite/native/" + system + "/" + processor, List.of(name));
      System.setProperty("org.sqlite.lib.path", folder.toString());
      System.setProperty("org.sqlite.lib.name", name);
      try {
        SQLiteJDBCLoader.initialize();
      } catch (Exception | LinkageError e) {
        throw new IOException(
            "SQLite's library cannot be loaded from %s: %s. The folder's file system must not be mounted with the option noexec"
                .formatted(folder, e.getMessage()),
            e);
      }
      isLibraryLoaded = true;
    }
  }

  /** Loads SQLite's Java classes, but not its native library. */
  public static void loadClasses() {
    new SQLiteConfig();
  }

  public Path file() {
    return file;
  }

  public static Path aside(Path file) {
    return file.resolveSibling(file.getFileName() + ASIDE);
  }

  /** Runs a transaction that reads one unchanging state of the database. */
  public <T> T read(Transaction<T> work) {
    return transaction("BEGIN", work);
  }

  /**
   * Runs a transaction that changes the database, all or nothing. Meanwhile, other processes that
   * change the database wait.
   *
   * @throws StoreException when the database cannot be written; nothing is changed then
   */
  public <T> T write(Durability durability, Transaction<T> work) {
    String level = durability == Durability.FOREVER ? "FULL" : "NORMAL";
    return transaction("PRAGMA synchronous = " + level + "; BEGIN IMMEDIATE", work);
  }

  private synchronized <T> T transaction(String begin, Transaction<T> work) {
    try {
      open();
      return attempt(begin, work);
    } catch (SQLException e) {
      if (!isDamage(e)) {
        throw new StoreException(file, e);
      }
    } catch (IOException e) {
      throw new StoreException(file, e);
    }
    try {
      moveAside();
      open();
      return attempt(begin, work);
    } catch (SQLException | IOException e) {
      throw new StoreException(file, e);
    }
  }

  private <T> T attempt(String begin, Transaction<T> work) throws SQLException, IOException {
    Sql.execute(connection, begin);
    T result;
    try {
      result = work.with(connection);
      Sql.execute(connection, "COMMIT");
    } catch (Throwable e) {
      rollBack();
      throw e;
    }
    if (!inode.equals(inodeOf(file))) {
      throw new SQLException(
          "another process has meanwhile moved the database aside"); // the change is lost
    }
    return result;
  }

  private void rollBack() {
    try {
      Sql.execute(connection, "ROLLBACK");
    } catch (SQLException e) {
      disconnect(); // the transaction has ended, or the connection is broken
    }
  }

  private void open() throws SQLException, IOException {
    if (closed) {
      throw new IOException("it is closed");
    }
    if (connection != null) {
      if (inode.equals(inodeOf(file))) {
        return;
      }
      disconnect(); // another process moved it aside, or the user deleted it
    }
    if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
      createFile();
    }
    inode = inodeOf(file);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new SQLException("it is no regular file");
    }
    try {
      connection = connect();
      if (Sql.number(connection, VERSION) != schema.version()) {
        create();
      }
    } catch (Throwable e) {
      disconnect(); // the tables may be missing
      throw e;
    }
  }

  private void createFile() throws IOException {
    try (ProcessLock lock = lock()) {
      if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
        deleteLogs();
        PrivateFiles.create(file);
      }
    }
  }

  /**
   * Deletes the write-ahead log and its index. A process that still has the deleted database open
   * can still read that database's log and index.
   */
  private void deleteLogs() throws IOException {
    Files.deleteIfExists(log(file));
    Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-shm"));
  }

  private static Path log(Path database) {
    return database.resolveSibling(database.getFileName() + "-wal");
  }

  /** Returns the inode of a file; null if there is no such file. A link has its own inode. */
  private static Object inodeOf(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  private Connection connect() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout((int) BUSY.toMillis());
    config.setJournalSizeLimit(LOG_BYTES);
    // The path is written as a URI, since a question mark in a plain path would begin options.
    return config.createConnection("jdbc:sqlite:" + file.toUri());
  }

  /** Creates the tables, unless another process has just created them. */
  private void create() throws SQLException, IOException {
    try (ProcessLock lock = lock()) {
      int found = Sql.number(connection, VERSION);
      if (found == schema.version()) {
        return;
      }
      if (found > schema.version()
          && Sql.number(connection, "PRAGMA application_id") == OURS + found) {
        throw new IOException(
            ("a newer helix-bg made it (version %d; this helix-bg reads version %d). Use the newer"
                    + " helix-bg; if the running daemon is older, restart it")
                .formatted(found, schema.version()));
      }
      if (found != 0 || Sql.number(connection, "SELECT COUNT(*) FROM sqlite_master") != 0) {
        throw new SQLException("it is of version " + found + ", not " + schema.version());
      }
      // If the file system does not support shared memory, SQLite keeps using a rollback journal.
      Sql.execute(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      attempt(
          "BEGIN IMMEDIATE",
          made -> {
            for (String table : schema.tables()) {
              Sql.execute(made, table);
            }
            Sql.execute(made, "PRAGMA application_id = " + (OURS + schema.version()));
            Sql.execute(made, "PRAGMA user_version = " + schema.version());
            return schema.first().with(made);
          });
    }
  }

  private ProcessLock lock() throws IOException {
    return ProcessLock.take(file.resolveSibling(file.getFileName() + ".lock"), BUSY)
        .orElseThrow(() -> new IOException("another helix-bg process is creating it"));
  }

  /**
   * Returns whether an error means that the database is damaged; a full or slow disk is not damage.
   */
  private boolean isDamage(SQLException e) {
    if (!(e instanceof SQLiteException sqlite)) {
      return true; // thrown by this class, or for a value of the wrong type
    }
    return switch (sqlite.getResultCode()) {
      case SQLITE_IOERR_SHORT_READ, SQLITE_READONLY_DBMOVED -> true;
      case SQLITE_READONLY -> Files.isWritable(file); // a wrong bit in a writable file's header
      default -> !NO_DAMAGE.contains(sqlite.getResultCode().code & 0xFF);
    };
  }

  /** Moves the damaged database aside, unless another process has just done so. */
  private void moveAside() throws IOException {
    Object damaged = inode;
    disconnect();
    try (ProcessLock lock = lock()) {
      if (damaged != null && damaged.equals(inodeOf(file))) {
        Path aside = aside(file);
        Files.deleteIfExists(log(aside)); // the log of a database that was moved there earlier
        Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
        if (Files.exists(log(file))) { // without the log, the changes in it would be lost
          Files.move(log(file), log(aside));
        }
        deleteLogs();
        warnings.accept(
            file
                + " could not be used: it was renamed to "
                + aside.getFileName()
                + ", and its contents are computed again. Your decisions are kept");
      }
    }
  }

  private void disconnect() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // Committed changes are already in the files.
    } finally {
      connection = null;
    }
  }

  /** Runs SQLite's check of all pages and returns the first fault; empty if there is none. */
  public Optional<String> fault() {
    return read(
            connection ->
                Sql.rows(connection, "PRAGMA integrity_check(1)", row -> row.getString(1)))
        .stream()
        .findFirst()
        .filter(said -> !said.equals("ok"));
  }

  /**
   * Returns a number that rises when rows are added to a table. The table's key must be
   * AUTOINCREMENT.
   */
  public int added(String table) {
    return read(
        connection ->
            Sql.number(connection, "SELECT seq FROM sqlite_sequence WHERE name = '" + table + "'"));
  }

  /**
   * Deletes a table's unused rows if they are more than {@value #FEW_STALE} and outnumber the used
   * rows. {@code isUsed} receives the texts of a row's {@code columns}. The key of the table must
   * be {@code number}.
   */
  public void forgetStale(String table, List<String> columns, Predicate<List<String>> isUsed) {
    String sql = "SELECT number, " + String.join(", ", columns) + " FROM " + table;
    List<Integer> rows =
        read(
            connection ->
                Sql.rows(
                    connection,
                    sql,
                    row -> {
                      List<String> texts = new ArrayList<>();
                      for (int i = 0; i < columns.size(); i++) {
                        texts.add(row.getString(i + 2));
                      }
                      return isUsed.test(texts) ? 0 : row.getInt(1); // numbers begin at 1
                    }));
    List<Integer> stale = rows.stream().filter(number -> number != 0).toList();
    if (stale.size() > FEW_STALE && 2 * stale.size() > rows.size()) {
      write(
          Durability.COMPUTED,
          connection -> {
            try (PreparedStatement delete =
                connection.prepareStatement("DELETE FROM " + table + " WHERE number = ?")) {
              for (int number : stale) {
                Sql.execute(delete, number);
              }
            }
            return null;
          });
    }
  }

  /** Closes the database; any use after that throws an exception. */
  @Override
  public synchronized void close() {
    closed = true;
    disconnect();
  }
}
