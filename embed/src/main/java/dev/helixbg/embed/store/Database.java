package dev.helixbg.embed.store;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.natives.PackedLibraries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteException;

/**
 * One SQLite database in a private folder. Threads share its one connection, one at a time;
 * processes share the file.
 *
 * <p>A database that is damaged, or of an older version, is moved aside and made anew, once, and
 * the work at hand begins again on the new one. One of a newer version is refused. The same happens
 * when another process did so, or when the file was deleted.
 */
public final class Database implements AutoCloseable {
  private static final String ASIDE = ".damaged";
  private static final Duration BUSY = Duration.ofSeconds(30);

  /** {@code application_id} less the version: so a flipped bit is not taken for a newer version. */
  private static final int OURS = 0x4842_0000;

  /** The most bytes of the write-ahead log that stay on the disk between two checkpoints. */
  private static final int LOG_BYTES = 16 << 20;

  /** Stale rows of a table that are always tolerated. */
  private static final int FEW_STALE = 256;

  private static final String VERSION = "PRAGMA user_version";

  /** PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL. */
  private static final Set<Integer> NO_DAMAGE = Set.of(3, 5, 6, 7, 8, 9, 10, 13, 14, 15);

  private static boolean isLibraryLoaded;

  private final Path file;
  private final Schema schema;
  private final Consumer<String> warnings;
  private Connection connection;

  /** The inode that the connection has open. */
  private Object inode;

  private boolean closed;

  /**
   * Schema of a database.
   *
   * @param version raised when a table changes
   * @param tables SQL statements that create the tables
   * @param first fills the new tables with what is known from elsewhere
   */
  public record Schema(int version, List<String> tables, Transaction<Void> first) {
    public Schema(int version, List<String> tables) {
      this(version, tables, connection -> null);
    }
  }

  /** Work with the connection; may be done twice. */
  @FunctionalInterface
  public interface Transaction<T> {
    T with(Connection connection) throws SQLException, IOException;
  }

  /** How long a change must last. */
  public enum Durability {
    /** It can be computed again: it may be lost when the machine loses its power. */
    COMPUTED,
    /** It is on the disk before the call returns. */
    FOREVER
  }

  /**
   * Opens nothing yet.
   *
   * @param file in a folder that exists and that only this user can write to
   * @param warnings is told, in a sentence, that a database was made anew
   */
  public Database(Path file, Schema schema, Consumer<String> warnings) {
    this.file = file;
    this.schema = schema;
    this.warnings = warnings;
  }

  /**
   * Unpacks SQLite's native library, where it is not there yet.
   *
   * @param cache helix-bg's own folder for what can be made again
   * @throws IOException when this platform has none, or it cannot be unpacked
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
      isLibraryLoaded = true;
    }
  }

  public Path file() {
    return file;
  }

  /** Place to which an unusable database is moved. */
  public static Path aside(Path file) {
    return file.resolveSibling(file.getFileName() + ASIDE);
  }

  /**
   * Reads, in a state of the database that stays the same meanwhile.
   *
   * @throws StoreException when the database cannot be read
   */
  public <T> T read(Transaction<T> work) {
    return transaction("BEGIN", work);
  }

  /**
   * Changes the database, all or nothing; other processes that change it wait.
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
        throw StoreException.of(file, e);
      }
    } catch (IOException e) {
      throw StoreException.of(file, e);
    }
    try {
      moveAside();
      open();
      return attempt(begin, work);
    } catch (SQLException | IOException e) {
      throw StoreException.of(file, e);
    }
  }

  private <T> T attempt(String begin, Transaction<T> work) throws SQLException, IOException {
    execute(connection, begin);
    boolean done = false;
    try {
      T result = work.with(connection);
      execute(connection, "COMMIT");
      done = true;
      if (!inode.equals(inodeOf(file))) {
        throw new SQLException("it was moved aside meanwhile"); // a change went with it
      }
      return result;
    } finally {
      if (!done) {
        rollBack();
      }
    }
  }

  private void rollBack() {
    try {
      execute(connection, "ROLLBACK");
    } catch (SQLException e) {
      disconnect(); // the transaction ended by itself, or the connection is of no more use
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
    boolean done = false;
    try {
      connection = connect();
      if (number(connection, VERSION) != schema.version()) {
        create();
      }
      done = true;
    } finally {
      if (!done) {
        disconnect(); // its tables may be missing
      }
    }
  }

  /** Makes an empty file, without the logs of a database that was deleted. */
  private void createFile() throws IOException {
    try (ProcessLock lock = lock()) {
      if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
        deleteLogs();
        PrivateFiles.create(file);
      }
    }
  }

  /** For a file that is not there any more; processes that have it open do not need them. */
  private void deleteLogs() throws IOException {
    Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-wal"));
    Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-shm"));
  }

  /** Returns the file's inode; null when there is no such file. A link has an inode of its own. */
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
    // The path is a URI, since a question mark in a plain path would begin options.
    return config.createConnection("jdbc:sqlite:" + file.toUri());
  }

  /** Makes the tables, unless another process has just done so. */
  private void create() throws SQLException, IOException {
    try (ProcessLock lock = lock()) {
      int found = number(connection, VERSION);
      if (found == schema.version()) {
        return;
      }
      if (found > schema.version() && number(connection, "PRAGMA application_id") == OURS + found) {
        throw new IOException(
            "a newer helix-bg made it (version %d; this one knows %d). Use the newer one, and restart a daemon that is older"
                .formatted(found, schema.version()));
      }
      if (found != 0 || number(connection, "SELECT COUNT(*) FROM sqlite_master") != 0) {
        throw new SQLException("it is of version " + found + ", not " + schema.version());
      }
      // Where the file system cannot share memory, SQLite stays with a rollback journal.
      execute(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      attempt(
          "BEGIN IMMEDIATE",
          made -> {
            for (String table : schema.tables()) {
              execute(made, table);
            }
            execute(made, "PRAGMA application_id = " + (OURS + schema.version()));
            execute(made, "PRAGMA user_version = " + schema.version());
            return schema.first().with(made);
          });
    }
  }

  private ProcessLock lock() throws IOException {
    return ProcessLock.take(file.resolveSibling(file.getFileName() + ".lock"), BUSY)
        .orElseThrow(() -> new IOException("another helix-bg is making it"));
  }

  /** Whether the database itself is to blame; a disk that is full or slow is not. */
  private boolean isDamage(SQLException e) {
    if (!(e instanceof SQLiteException sqlite)) {
      return true; // thrown by this class, or for a value that is not of its type
    }
    return switch (sqlite.getResultCode()) {
      case SQLITE_IOERR_SHORT_READ, SQLITE_READONLY_DBMOVED -> true;
      case SQLITE_READONLY -> Files.isWritable(file); // by a bit of its header
      default -> !NO_DAMAGE.contains(sqlite.getResultCode().code & 0xFF);
    };
  }

  /** Makes room for a new database, unless another process has just done so. */
  private void moveAside() throws IOException {
    Object damaged = inode;
    disconnect();
    try (ProcessLock lock = lock()) {
      if (damaged != null && damaged.equals(inodeOf(file))) {
        Path aside = aside(file);
        Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
        deleteLogs();
        warnings.accept(
            file
                + " could not be used: it is "
                + aside.getFileName()
                + " now, and what it held is made anew. Decisions are kept");
      }
    }
  }

  private void disconnect() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // Committed changes are in the files.
    } finally {
      connection = null;
    }
  }

  /**
   * Returns what is wrong with the file, by SQLite's own check of all pages.
   *
   * @return empty when nothing is
   */
  public Optional<String> fault() {
    return read(
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("PRAGMA integrity_check(1)")) {
            return Optional.of(rows.next() ? rows.getString(1) : "")
                .filter(said -> !said.equals("ok"));
          }
        });
  }

  /** Runs SQL statements, separated by semicolons, that give no rows. */
  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  /**
   * Runs a statement with values for its parameters, in their order; returns how many rows it
   * changed.
   */
  public static int execute(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement.executeUpdate();
  }

  /** The one number that a query gives; 0 when it gives none. */
  public static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getInt(1) : 0;
    }
  }

  /**
   * A number that grows whenever rows are added to a table, and never falls.
   *
   * @param table whose key is declared AUTOINCREMENT
   */
  public int added(String table) {
    return read(
        connection ->
            number(connection, "SELECT seq FROM sqlite_sequence WHERE name = '" + table + "'"));
  }

  /**
   * Deletes rows that are out of use, when they are most of many.
   *
   * @param table whose key is {@code number}
   * @param columns of text, by which a row is judged
   */
  public void forgetStale(String table, List<String> columns, Predicate<List<String>> isUsed) {
    List<Integer> stale = new ArrayList<>();
    int used =
        read(
            connection -> {
              int count = 0;
              stale.clear();
              String sql = "SELECT number, " + String.join(", ", columns) + " FROM " + table;
              try (Statement statement = connection.createStatement();
                  ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                  List<String> row = new ArrayList<>();
                  for (int i = 0; i < columns.size(); i++) {
                    row.add(rows.getString(i + 2));
                  }
                  if (isUsed.test(row)) {
                    count++;
                  } else {
                    stale.add(rows.getInt(1));
                  }
                }
              }
              return count;
            });
    if (stale.size() > FEW_STALE && stale.size() > used) {
      write(
          Durability.COMPUTED,
          connection -> {
            try (PreparedStatement delete =
                connection.prepareStatement("DELETE FROM " + table + " WHERE number = ?")) {
              for (int number : stale) {
                delete.setInt(1, number);
                delete.executeUpdate();
              }
            }
            return null;
          });
    }
  }

  /** CRC-32C of the columns of a row, which SQLite itself has no checksum for. */
  public static int checksum(Object... columns) {
    CRC32C checksum = new CRC32C();
    for (Object column : columns) {
      byte[] bytes =
          column instanceof byte[] raw
              ? raw
              : String.valueOf(column).getBytes(StandardCharsets.UTF_8);
      checksum.update(ByteBuffer.allocate(4).putInt(0, bytes.length));
      checksum.update(bytes);
    }
    return (int) checksum.getValue();
  }

  /** Closes the database; any use after that throws an exception. */
  @Override
  public synchronized void close() {
    closed = true;
    disconnect();
  }
}
