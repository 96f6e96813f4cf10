package dev.helixbg.embed.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Runs SQL statements with values for their parameters, in transactions of a {@link Database}. */
public final class Sql {
  private Sql() {}

  /** Runs SQL statements that return no rows. Semicolons separate the statements. */
  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  public static int execute(PreparedStatement statement, Object... values) throws SQLException {
    setAll(statement, values);
    return statement.executeUpdate();
  }

  public static void execute(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      execute(statement, values);
    }
  }

  @FunctionalInterface
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  public static <T> List<T> rows(
      Connection connection, String sql, RowReader<T> reader, Object... values)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      return rows(select, reader, values);
    }
  }

  /** Returns the rows of a query. The prepared query can run again with other values. */
  public static <T> List<T> rows(PreparedStatement select, RowReader<T> reader, Object... values)
      throws SQLException {
    setAll(select, values);
    List<T> all = new ArrayList<>();
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        all.add(reader.read(row));
      }
    }
    return all;
  }

  private static void setAll(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }

  /** Returns the number that a query yields; 0 if the query yields no row. */
  public static int number(Connection connection, String sql) throws SQLException {
    return rows(connection, sql, row -> row.getInt(1)).stream().findFirst().orElse(0);
  }

  /** Returns a CRC-32C of the columns of a row; SQLite itself has no checksum for rows. */
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
}
