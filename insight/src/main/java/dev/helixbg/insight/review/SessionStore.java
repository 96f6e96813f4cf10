package dev.helixbg.insight.review;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Optional;

/** The last review of a session of writing, in a table of a database that has one row. */
public final class SessionStore {
  /** The table, for {@link Database.Schema}. */
  public static final String TABLE =
      "CREATE TABLE session (number INTEGER PRIMARY KEY AUTOINCREMENT, checksum INTEGER NOT NULL,"
          + " review TEXT NOT NULL)";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Database database;

  public SessionStore(Database database) {
    this.database = database;
  }

  /** A number that grows with each review. */
  public int version() {
    return database.added("session");
  }

  /** The last review; empty before the first. */
  public Optional<Review> read() {
    return database.read(
        connection -> {
          try (Statement select = connection.createStatement();
              ResultSet row =
                  select.executeQuery(
                      "SELECT checksum, review FROM session ORDER BY number DESC LIMIT 1")) {
            return row.next() && row.getInt(1) == Database.checksum(row.getString(2))
                ? Review.fromJson(JSON.readTree(row.getString(2)))
                : Optional.<Review>empty();
          } catch (JacksonException e) {
            return Optional.empty();
          }
        });
  }

  /** Keeps a review instead of the one before. */
  public void keep(Review review) {
    String json = review.toJson().toString();
    database.write(
        Durability.COMPUTED,
        connection -> {
          Database.execute(connection, "DELETE FROM session");
          try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO session (checksum, review) VALUES (?, ?)")) {
            insert.setInt(1, Database.checksum(json));
            insert.setString(2, json);
            insert.executeUpdate();
          }
          return null;
        });
  }
}
