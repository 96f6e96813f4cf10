package dev.helixbg.insight.findings;

import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * The layout of a log: the keys of its entries, the passages of long entries, and the places of
 * their vectors in the store. With a stored layout, a search need not hash the texts or cut them
 * into passages. A store contains at most one layout. A layout is stored only if all texts of the
 * log have vectors.
 *
 * @param way id of the method that computed the entries' vectors
 * @param names hashes of the entries' texts
 * @param vectors place of each entry's vector in the store
 * @param owners for each passage, index of its entry, in rising order
 * @param passageVectors place of each passage's vector in the store
 */
public record KbLayout(
    String way,
    List<TextKey> names,
    int[] vectors,
    int[] owners,
    List<Passage> passages,
    int[] passageVectors) {
  /** SQL statement that creates the table, for {@link Database.Schema}. */
  public static final String TABLE =
      "CREATE TABLE layout (log TEXT NOT NULL, vectors INTEGER NOT NULL, model TEXT NOT NULL,"
          + " way TEXT NOT NULL, checksum INTEGER NOT NULL, places BLOB NOT NULL)";

  private static final int ENTRY_BYTES = 20;
  private static final int PASSAGE_BYTES = 16;

  /** Saves this layout with {@code log}, the hash of its log, and deletes the previous layout. */
  public void keep(Database store, String log, VectorIds ids, int modelTokens) {
    ByteBuffer bytes =
        ByteBuffer.allocate(
            2 * Integer.BYTES + names.size() * ENTRY_BYTES + owners.length * PASSAGE_BYTES);
    bytes.putInt(names.size()).putInt(owners.length);
    for (int i = 0; i < names.size(); i++) {
      bytes.putLong(names.get(i).high()).putLong(names.get(i).low()).putInt(vectors[i]);
    }
    for (int i = 0; i < owners.length; i++) {
      Passage passage = passages.get(i);
      bytes.putInt(owners[i]).putInt(passage.start()).putInt(passage.end());
      bytes.putInt(passageVectors[i]);
    }
    int version = VectorStore.layoutVersion(store);
    store.write(
        Durability.COMPUTED,
        connection -> {
          Sql.execute(connection, "DELETE FROM layout");
          Sql.execute(
              connection,
              "INSERT INTO layout VALUES (?, ?, ?, ?, ?, ?)",
              log,
              version,
              model(ids, modelTokens),
              way,
              Sql.checksum(way, bytes.array()),
              bytes.array());
          return null;
        });
  }

  private static String model(VectorIds ids, int modelTokens) {
    return ids + " " + modelTokens;
  }

  /**
   * Returns the entries of a log and their vectors; empty if the store has no layout for a log with
   * the hash {@code log}.
   */
  public static Optional<KbEntries> read(
      Path dataLog, String log, Database store, VectorIds ids, int modelTokens) {
    return kept(store, log, ids, modelTokens)
        .flatMap(layout -> layout.entries(dataLog, log, store));
  }

  /** Whether the store has a layout for a log with the hash {@code log}. */
  public static boolean isKept(Database store, String log, VectorIds ids, int modelTokens) {
    return kept(store, log, ids, modelTokens).isPresent();
  }

  private static Optional<KbLayout> kept(
      Database store, String log, VectorIds ids, int modelTokens) {
    int version = VectorStore.layoutVersion(store);
    return store
        .read(
            connection ->
                Sql.rows(
                    connection,
                    "SELECT way, checksum, places FROM layout WHERE log = ? AND vectors = ? AND"
                        + " model = ?",
                    KbLayout::of,
                    log,
                    version,
                    model(ids, modelTokens)))
        .stream()
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<KbLayout> of(ResultSet row) throws SQLException {
    String way = row.getString(1);
    byte[] places = row.getBytes(3);
    return row.getInt(2) == Sql.checksum(way, places)
        ? Optional.of(of(way, ByteBuffer.wrap(places)))
        : Optional.empty();
  }

  private static KbLayout of(String way, ByteBuffer bytes) {
    int[] vectors = new int[bytes.getInt()];
    int[] owners = new int[bytes.getInt()];
    List<TextKey> names = new ArrayList<>(vectors.length);
    for (int i = 0; i < vectors.length; i++) {
      names.add(new TextKey(bytes.getLong(), bytes.getLong()));
      vectors[i] = bytes.getInt();
    }
    List<Passage> passages = new ArrayList<>(owners.length);
    int[] passageVectors = new int[owners.length];
    for (int i = 0; i < owners.length; i++) {
      owners[i] = bytes.getInt();
      passages.add(new Passage(bytes.getInt(), bytes.getInt()));
      passageVectors[i] = bytes.getInt();
    }
    return new KbLayout(way, names, vectors, owners, passages, passageVectors);
  }

  /** Returns the entries; empty if a vector is damaged, or if the log changes while it is read. */
  private Optional<KbEntries> entries(Path dataLog, String sha256, Database store) {
    LogReading[] read = new LogReading[1];
    List<Optional<float[]>> values = new ArrayList<>();
    ParallelLoop.runToTheEnd(
        "vectors",
        2,
        2,
        step -> {
          if (step == 0) {
            values.add(VectorStore.ofEntries(store).at(vectors));
            values.add(VectorStore.ofPassages(store).at(passageVectors));
          } else {
            read[0] = DataLog.read(dataLog, Optional.of(sha256));
          }
        });
    LogReading log = read[0];
    if (log.entries().size() != names.size() || values.stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    Iterator<TextKey> next = names.iterator();
    return Optional.of(
        new KbEntries(
            NamedEntry.all(log.entries(), entry -> next.next().hex()),
            of(values.get(0).get()),
            new PassageVectors(owners, passages, of(values.get(1).get())),
            log.account(),
            new Coverage(names.size(), names.size()),
            way));
  }

  private static Vectors of(float[] values) {
    return new Vectors(values.length / VectorStore.DIMENSION, VectorStore.DIMENSION, values);
  }
}
