package dev.helixbg.insight.pairs;

import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Relation;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The readings of the pair judges in a table of a database. A reading is a judge's logits on a
 * pair. Its key is computed from the two texts and the kind of the pair.
 *
 * @param model id of the pair judges
 */
public record ReadingStore(Database database, String model) {
  /**
   * SQL statement that creates the table, for {@link Database.Schema}. Logits are big-endian f32.
   */
  public static final String TABLE =
      "CREATE TABLE reading (number INTEGER PRIMARY KEY AUTOINCREMENT, checksum INTEGER NOT NULL,"
          + " model TEXT NOT NULL, key TEXT NOT NULL, logits BLOB NOT NULL,"
          + " olderWhole INTEGER NOT NULL, newerWhole INTEGER NOT NULL,"
          + " UNIQUE (model, key) ON CONFLICT REPLACE)";

  private static final int CLASSES = Relation.values().length;

  Map<String, Reading> find(Set<String> wanted) {
    Map<String, Reading> found = new HashMap<>();
    if (wanted.isEmpty()) {
      return found;
    }
    return database.read(
        connection -> {
          try (PreparedStatement select =
              connection.prepareStatement(
                  "SELECT checksum, logits, olderWhole, newerWhole FROM reading"
                      + " WHERE model = ? AND key = ?")) {
            for (String key : wanted) {
              Sql.rows(select, row -> reading(row, key), model, key).stream()
                  .flatMap(Optional::stream)
                  .forEach(reading -> found.put(key, reading));
            }
          }
          return found;
        });
  }

  private Optional<Reading> reading(ResultSet row, String key) throws SQLException {
    byte[] logits = row.getBytes(2);
    boolean older = row.getBoolean(3);
    boolean newer = row.getBoolean(4);
    if (row.getInt(1) != Sql.checksum(model, key, logits, older, newer)
        || logits.length != CLASSES * Float.BYTES) {
      return Optional.empty();
    }
    float[] values = new float[CLASSES];
    ByteBuffer.wrap(logits).asFloatBuffer().get(values);
    return Optional.of(new Reading(values, older, newer));
  }

  void add(Map<String, Reading> some) {
    if (some.isEmpty()) {
      return;
    }
    database.write(
        Durability.COMPUTED,
        connection -> {
          try (PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT INTO reading (checksum, model, key, logits, olderWhole, newerWhole)"
                      + " VALUES (?, ?, ?, ?, ?, ?)")) {
            for (Map.Entry<String, Reading> one : some.entrySet()) {
              Reading reading = one.getValue();
              byte[] logits = new byte[CLASSES * Float.BYTES];
              ByteBuffer.wrap(logits).asFloatBuffer().put(reading.logits());
              boolean older = reading.olderWhole();
              boolean newer = reading.newerWhole();
              int checksum = Sql.checksum(model, one.getKey(), logits, older, newer);
              Sql.execute(insert, checksum, model, one.getKey(), logits, older, newer);
            }
          }
          return null;
        });
  }

  /**
   * Deletes unused readings if they are many and outnumber the used readings. A reading is used if
   * it is of this model and has one of {@code keys}.
   */
  void forgetStale(Set<String> keys) {
    database.forgetStale(
        "reading",
        List.of("model", "key"),
        row -> row.get(0).equals(model) && keys.contains(row.get(1)));
  }
}
