package dev.helixbg.embed.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.TestDatabase;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VectorStoreTest {
  @TempDir(factory = InMemory.class)
  Path folder;

  @AutoClose private Database database;
  private VectorStore store;

  @BeforeEach
  void open() {
    database = TestDatabase.in(folder, VectorStore.TABLE);
    store = VectorStore.ofEntries(database);
  }

  private static void assertSame(Map<TextKey, float[]> expected, KnownVectors found) {
    assertEquals(expected.keySet(), found.byKey().keySet());
    expected.forEach(
        (key, vector) -> assertArrayEquals(vector, found.vector(key).orElseThrow(), key.hex()));
  }

  @Test
  void addedVectorsAreFoundByTheirKeys() {
    int next = 0;
    store.add(Map.of());
    for (int batch : new int[] {1, 2, 511, 512, 513, 1100}) {
      store.add(UnitVectors.of(next, next + batch));
      next += batch;
    }
    database.close();
    database = TestDatabase.in(folder, VectorStore.TABLE);
    KnownVectors found = VectorStore.ofEntries(database).read();
    assertSame(UnitVectors.of(0, next), found);
    assertEquals(next, found.stored());
    assertEquals(Optional.empty(), found.vector(TextKey.of("model", "never seen")));
    assertEquals(Optional.empty(), found.vector(TextKey.of("other model", "text 1")));
    assertEquals(
        1 + 1 + 1 + 1 + 2 + 3,
        TestDatabase.rows(database, "vectors"),
        "a row has 512 vectors at most");
  }

  @Test
  void vectorsOfPassagesAreNotThoseOfEntries() {
    VectorStore passages = VectorStore.ofPassages(database);
    store.add(UnitVectors.of(0, 3));
    passages.add(UnitVectors.of(2, 5));
    assertSame(UnitVectors.of(0, 3), store.read());
    assertSame(UnitVectors.of(2, 5), passages.read());
    store.forgetStale(1_000, Map.of());
    assertSame(Map.of(), store.read());
    assertSame(UnitVectors.of(2, 5), passages.read());
  }

  /** If two processes have stored a vector for the same text, the later vector is used. */
  @Test
  void aRepeatedKeyIsStoredTwiceAndFoundOnce() {
    float[] second = UnitVectors.of(7, 8).get(UnitVectors.key(7));
    store.add(UnitVectors.of(0, 2));
    store.add(Map.of(UnitVectors.key(1), second));
    KnownVectors found = store.read();
    assertEquals(2, found.byKey().size());
    assertEquals(3, found.stored());
    assertArrayEquals(second, found.vector(UnitVectors.key(1)).orElseThrow());
  }

  @Test
  void damagedRowsArePassedOver() {
    List<String> damages =
        List.of(
            "checksum = checksum + 1",
            "keys = substr(keys, 1, 15)",
            "keys = keys || x'00'",
            "keys = substr(keys, 1, 16)",
            "keys = x'01' || substr(keys, 2)",
            "keys = x''",
            "vectors = substr(vectors, 1, 100)",
            "vectors = vectors || x'00000000'",
            "vectors = x'01' || substr(vectors, 2)",
            "vectors = ''",
            "vectors = 7");
    for (int i = 0; i <= damages.size(); i++) {
      store.add(UnitVectors.of(2 * i, 2 * i + 2));
    }
    for (int i = 0; i < damages.size(); i++) {
      TestDatabase.change(
          database, "UPDATE vectors SET " + damages.get(i) + " WHERE id = " + (i + 1));
      int from = 2 * i + 2;
      assertSame(UnitVectors.of(from, 2 * damages.size() + 2), store.read());
    }
    store.add(UnitVectors.of(0, 2));
    assertArrayEquals(
        UnitVectors.of(0, 1).get(UnitVectors.key(0)),
        store.read().vector(UnitVectors.key(0)).orElseThrow(),
        "it is embedded again");
  }

  @Test
  void forgottenVectorsAreMostOfManyAndUsedOnesStay() {
    store.add(UnitVectors.of(0, 1_000));
    Map<TextKey, float[]> used = UnitVectors.of(0, 373);
    store.forgetStale(store.read().stored(), used);
    assertEquals(1_000, store.read().stored(), "1,000 < 256 + 2 * 373");
    used.remove(UnitVectors.key(372));
    int version = VectorStore.version(database);
    int layout = VectorStore.layoutVersion(database);
    store.forgetStale(store.read().stored(), used);
    assertSame(used, store.read());
    assertTrue(VectorStore.version(database) > version, "others read them anew");
    assertTrue(VectorStore.layoutVersion(database) > layout, "they have moved");
    assertEquals(372, store.read().stored());
    store.forgetStale(255, Map.of());
    assertEquals(372, store.read().stored(), "few are always tolerated");
  }

  @Test
  void theVersionGrowsWithEachAddition() {
    int before = VectorStore.version(database);
    assertEquals(0, before);
    for (int i = 0; i < 5; i++) {
      (i % 2 == 0 ? store : VectorStore.ofPassages(database)).add(UnitVectors.of(i, i + 1));
      int now = VectorStore.version(database);
      assertTrue(now > before);
      before = now;
    }
    store.forgetStale(1_000, Map.of());
    assertEquals(before, VectorStore.version(database), "it does not fall");
    store.add(UnitVectors.of(0, 1));
    assertTrue(VectorStore.version(database) > before);
  }

  @Test
  void onlyVectorsOfUnitLengthAreStored() {
    float[] zero = new float[VectorStore.DIMENSION];
    float[] wrong = new float[VectorStore.DIMENSION];
    wrong[0] = Float.NaN;
    float[] twice = new float[VectorStore.DIMENSION];
    twice[0] = 2;
    for (float[] vector : new float[][] {zero, wrong, twice, {1}, {}}) {
      assertThrows(
          IllegalArgumentException.class, () -> store.add(Map.of(UnitVectors.key(0), vector)));
    }
    assertEquals(0, store.read().stored());
  }

  /** The layout of a row's bytes must not change without a new version of the schema. */
  @Test
  void aRowHasKeysAndLittleEndianValues() {
    float[] vector = new float[VectorStore.DIMENSION];
    vector[1] = -1;
    store.add(Map.of(new TextKey(1, -2), vector));
    ByteBuffer values =
        ByteBuffer.allocate(4 * VectorStore.DIMENSION).order(ByteOrder.LITTLE_ENDIAN);
    values.putFloat(4, -1);
    byte[] keys = ByteBuffer.allocate(16).putLong(1).putLong(-2).array();
    database.read(
        connection -> {
          try (var statement = connection.createStatement();
              var row = statement.executeQuery("SELECT kind, keys, vectors FROM vectors")) {
            assertTrue(row.next());
            assertEquals("entry", row.getString(1));
            assertArrayEquals(keys, row.getBytes(2));
            assertArrayEquals(values.array(), row.getBytes(3));
          }
          return null;
        });
  }

  @Test
  void theIdOfAStoreIsTheOneByWhichMostTextsAreKnown() {
    List<String> ids = List.of("model", "model-cpu");
    assertEquals("model", new KnownVectors(Map.of(), 0).id(ids, Stream.of("text 0")));
    store.add(UnitVectors.of(0, 1));
    float[] vector = UnitVectors.of(0, 1).get(UnitVectors.key(0));
    assertEquals("model", store.read().id(ids, Stream.of("text 0", "text 1", "text 2")));
    store.add(Map.of(TextKey.of("model-cpu", "text 1"), vector));
    assertEquals("model", store.read().id(ids, Stream.of("text 0", "text 1", "text 2")));
    store.add(Map.of(TextKey.of("model-cpu", "text 2"), vector));
    assertEquals("model-cpu", store.read().id(ids, Stream.of("text 0", "text 1", "text 2")));
    assertEquals("model", store.read().id(ids, Stream.of("unknown")));
  }

  @Test
  void keysTellModelsAndTextsApart() {
    TextKey key = TextKey.of("model", "text");
    assertEquals(key, TextKey.of("model", "text"));
    for (TextKey other :
        List.of(
            TextKey.of("model2", "text"), TextKey.of("model", "text "), TextKey.of("mode", "l"))) {
      assertTrue(!key.equals(other));
    }
    assertTrue(!TextKey.of("ab", "c").equals(TextKey.of("a", "bc")));
    // printf 'model\0text' | sha256sum | cut -c1-32
    assertEquals("28ae071bd7e3eb058721f0ceeee7c9da", key.hex());
  }
}
