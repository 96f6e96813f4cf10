package dev.helixbg.embed.cache;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The stored vectors of one knowledge base's texts, by {@link TextKey}. A row of the table contains
 * up to {@value #ROW_VECTORS} keys of 16 bytes, a vector of 384 little-endian f32 for each key, and
 * a checksum of keys and vectors.
 */
public record VectorStore(Database database, String kind) {
  public static final int DIMENSION = 384;

  public static final String TABLE =
      "CREATE TABLE vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,"
          + " checksum INTEGER NOT NULL, keys BLOB NOT NULL, vectors BLOB NOT NULL)";

  private static final String SELECT =
      "SELECT checksum, keys, vectors FROM vectors WHERE kind = ? ORDER BY id";

  private static final int ROW_VECTORS = 512;

  /** Maximum difference of a vector's squared length from 1; rounding errors are below 1e-6. */
  private static final double NORM_TOLERANCE = 1e-4;

  /** Number by which unused vectors must outnumber used vectors to be deleted. */
  private static final int FEW_STALE = 256;

  public static VectorStore ofEntries(Database database) {
    return new VectorStore(database, "entry");
  }

  public static VectorStore ofPassages(Database database) {
    return new VectorStore(database, "passage");
  }

  /** Returns the store of vectors of lessons, which are sentences about entries. */
  public static VectorStore ofLessons(Database database) {
    return new VectorStore(database, "lesson");
  }

  /** Returns a number that grows whenever vectors of any kind are added. */
  public static int version(Database database) {
    return database.added("vectors");
  }

  /** Reads all vectors; damaged rows are skipped. */
  public KnownVectors read() {
    return database.read(
        connection -> {
          Map<TextKey, float[]> byKey = new HashMap<>();
          List<Integer> counts = Sql.rows(connection, SELECT, row -> take(row, byKey), kind);
          return new KnownVectors(byKey, counts.stream().mapToInt(count -> count).sum());
        });
  }

  /**
   * Returns a number that grows when vectors of entries or passages are added, or get other {@link
   * #places}.
   */
  public static int layoutVersion(Database database) {
    return database.read(
        connection -> Sql.number(connection, "SELECT MAX(id) FROM vectors WHERE kind <> 'lesson'"));
  }

  /**
   * Returns the place of each text's vector: the number of vectors of this store that were added
   * before it. If a text has two vectors, the place is that of the later vector.
   *
   * @return empty if a text has no vector
   */
  public Optional<int[]> places(List<TextKey> texts) {
    return database.read(
        connection -> {
          Map<TextKey, Integer> places = new HashMap<>();
          int next = 0;
          String sql = "SELECT keys FROM vectors WHERE kind = ? ORDER BY id";
          for (byte[] keys : Sql.rows(connection, sql, row -> row.getBytes(1), kind)) {
            ByteBuffer names = ByteBuffer.wrap(keys);
            while (names.remaining() >= TextKey.BYTES) {
              places.put(new TextKey(names.getLong(), names.getLong()), next++);
            }
          }
          return places.keySet().containsAll(texts)
              ? Optional.of(texts.stream().mapToInt(places::get).toArray())
              : Optional.empty();
        });
  }

  /**
   * Returns the vectors at these {@link #places}, one after another; empty if a vector is damaged
   * or missing.
   */
  public Optional<float[]> at(int[] places) {
    long[] wanted =
        IntStream.range(0, places.length)
            .mapToLong(i -> (long) places[i] << Integer.SIZE | i)
            .sorted()
            .toArray();
    return database.read(
        connection -> {
          float[] values = new float[Math.multiplyExact(places.length, DIMENSION)];
          int done = 0;
          try (PreparedStatement select = connection.prepareStatement(SELECT)) {
            select.setString(1, kind);
            ResultSet rows = select.executeQuery();
            for (int first = 0; done < wanted.length && rows.next(); ) {
              byte[] keys = rows.getBytes(2);
              byte[] row = rows.getBytes(3);
              int end = first + keys.length / TextKey.BYTES;
              boolean sound = isSound(rows.getInt(1), keys, row);
              FloatBuffer floats = floats(row);
              for (; done < wanted.length && wanted[done] >>> Integer.SIZE < end; done++) {
                if (!sound) {
                  return Optional.empty();
                }
                int from = (int) (wanted[done] >>> Integer.SIZE) - first;
                floats.get(from * DIMENSION, values, (int) wanted[done] * DIMENSION, DIMENSION);
              }
              first = end;
            }
          }
          return done == wanted.length ? Optional.of(values) : Optional.empty();
        });
  }

  private static boolean isSound(int checksum, byte[] keys, byte[] vectors) {
    return vectors.length == keys.length / TextKey.BYTES * DIMENSION * Float.BYTES
        && Sql.checksum(keys, vectors) == checksum;
  }

  /**
   * Adds a row's vectors to {@code to} if the row is not damaged. Returns the number of the row's
   * keys.
   */
  private static int take(ResultSet row, Map<TextKey, float[]> to) throws SQLException {
    byte[] keys = row.getBytes(2);
    byte[] vectors = row.getBytes(3);
    int count = keys.length / TextKey.BYTES;
    if (isSound(row.getInt(1), keys, vectors)) {
      ByteBuffer names = ByteBuffer.wrap(keys);
      FloatBuffer values = floats(vectors);
      for (int i = 0; i < count; i++) {
        float[] vector = new float[DIMENSION];
        values.get(vector);
        to.put(new TextKey(names.getLong(), names.getLong()), vector);
      }
    }
    return count;
  }

  private static FloatBuffer floats(byte[] vectors) {
    return ByteBuffer.wrap(vectors).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
  }

  /** Adds vectors of unit length. */
  public void add(Map<TextKey, float[]> vectors) {
    if (!vectors.isEmpty()) {
      vectors.values().forEach(VectorStore::check);
      database.write(Durability.COMPUTED, connection -> insert(connection, vectors));
    }
  }

  private Void insert(Connection connection, Map<TextKey, float[]> vectors) throws SQLException {
    List<TextKey> keys = new ArrayList<>(vectors.keySet());
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO vectors (kind, checksum, keys, vectors) VALUES (?, ?, ?, ?)")) {
      for (int from = 0; from < keys.size(); from += ROW_VECTORS) {
        List<TextKey> some = keys.subList(from, Math.min(keys.size(), from + ROW_VECTORS));
        ByteBuffer names = ByteBuffer.allocate(some.size() * TextKey.BYTES);
        ByteBuffer values =
            ByteBuffer.allocate(some.size() * DIMENSION * Float.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        for (TextKey key : some) {
          names.putLong(key.high()).putLong(key.low());
          for (float value : vectors.get(key)) {
            values.putFloat(value);
          }
        }
        int checksum = Sql.checksum(names.array(), values.array());
        Sql.execute(insert, kind, checksum, names.array(), values.array());
      }
    }
    return null;
  }

  /**
   * Deletes the unused vectors if they outnumber the used vectors by {@value #FEW_STALE} or more.
   *
   * @param stored number of vectors in the store, repeated vectors included
   * @param used the vectors of all texts that the knowledge base has now
   */
  public void forgetStale(int stored, Map<TextKey, float[]> used) {
    if (stored < FEW_STALE + 2 * used.size()) {
      return;
    }
    database.write(
        Durability.COMPUTED,
        connection -> {
          Sql.execute(connection, "DELETE FROM vectors WHERE kind = ?", kind);
          return insert(connection, used);
        });
  }

  static void check(float[] vector) {
    if (vector.length != DIMENSION
        || !(Math.abs(Cosine.of(vector, vector) - 1) <= NORM_TOLERANCE)) { // NaN fails, too
      throw new IllegalArgumentException(
          "a vector is not 384 values of unit length: " + Arrays.toString(vector));
    }
  }
}
