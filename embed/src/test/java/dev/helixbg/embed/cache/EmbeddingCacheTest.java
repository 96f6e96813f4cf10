package dev.helixbg.embed.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.CacheContents.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingCacheTest {

  @TempDir(factory = InMemory.class)
  Path folder;

  private EmbeddingCache cache;
  private Path vectors;
  private Path keys;

  @BeforeEach
  void open() {
    cache = new EmbeddingCache(folder);
    vectors = folder.resolve("embeddings.bin");
    keys = folder.resolve("embeddings.keys");
  }

  @Test
  void savedRowsComeBackBitForBit() throws IOException {
    List<CacheRow> rows = rows(1, 100);
    cache.publish(rows);
    CacheContents found = cache.read();
    assertEquals(State.GOOD, found.state());
    assertSameRows(rows, found.rows());
    for (CacheRow row : rows) {
      assertArrayEquals(row.vector(), found.vector(row.key()).orElseThrow());
    }
    assertTrue(found.vector(TextKey.of("model", "never seen")).isEmpty());
  }

  @Test
  void fileIsHxecByteForByte() throws IOException {
    float[] vector = new float[384];
    vector[0] = 1;
    long offset = 0xFFFF_FFFEL; // beyond a signed int
    cache.publish(List.of(new CacheRow(offset, TextKey.of("m", "t"), vector)));
    ByteBuffer expected = ByteBuffer.allocate(16 + 4 + 384 * 4).order(ByteOrder.LITTLE_ENDIAN);
    expected.put("HXEC".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    expected.putInt(1).putInt(1).putInt(384).putInt((int) offset);
    for (float value : vector) {
      expected.putFloat(value);
    }
    assertArrayEquals(expected.array(), Files.readAllBytes(vectors));
    assertEquals(offset, cache.read().rows().getFirst().offset());
  }

  @Test
  void emptyCacheIsGood() throws IOException {
    cache.publish(List.of());
    assertEquals(State.GOOD, cache.read().state());
    assertEquals(16, Files.size(vectors));
  }

  @Test
  void missingCacheIsNotDamage() {
    assertEquals(State.MISSING, cache.read().state());
  }

  @Test
  void everyTruncationOfTheVectorsIsNoticed() throws IOException {
    everyTruncationIsNoticed(vectors);
  }

  @Test
  void everyTruncationOfTheKeysIsNoticed() throws IOException {
    everyTruncationIsNoticed(keys);
  }

  @Test
  void everyFlippedBitOfTheVectorsIsNoticed() throws IOException {
    everyFlippedBitIsNoticed(vectors);
  }

  @Test
  void everyFlippedBitOfTheKeysIsNoticed() throws IOException {
    everyFlippedBitIsNoticed(keys);
  }

  @Test
  void bytesAfterTheEndAreNoticed() throws IOException {
    cache.publish(rows(1, 3));
    for (Path file : List.of(vectors, keys)) {
      byte[] good = Files.readAllBytes(file);
      Files.write(file, Arrays.copyOf(good, good.length + 1));
      assertUnusable("bytes");
      Files.write(file, good);
    }
  }

  @Test
  void eachFaultIsNamedEvenWhereTheSidecarVouchesForIt() throws IOException {
    assertFault("of unit length", bytes -> bytes.putFloat(20, Float.NaN));
    assertFault("of unit length", bytes -> bytes.putFloat(20, Float.POSITIVE_INFINITY));
    assertFault("of unit length", bytes -> bytes.putFloat(20, 2f));
    assertFault("occurs twice", bytes -> bytes.putInt(16 + 1540, bytes.getInt(16)));
    assertFault("comes after", bytes -> bytes.putInt(16, -1));
    assertFault("begin with HXEC", bytes -> bytes.putInt(0, 7));
    assertFault("version is 2", bytes -> bytes.putInt(4, 2));
    assertFault("dimension is 383", bytes -> bytes.putInt(12, 383));
    assertFault("4294967295 vectors", bytes -> bytes.putInt(8, -1));
  }

  @Test
  void cacheOfAnotherProgramWithoutKeysIsRebuilt() throws IOException {
    cache.publish(rows(1, 3));
    Files.delete(keys);
    assertUnusable("embeddings.keys is missing");
  }

  @Test
  void keysOfAnotherVectorFileAreRefused() throws IOException {
    cache.publish(rows(1, 3));
    byte[] old = Files.readAllBytes(keys);
    cache.publish(rows(2, 3));
    Files.write(keys, old);
    assertUnusable("belongs to another file of vectors");
  }

  /** The states a crash can leave, in the order in which a save passes through them. */
  @Test
  void crashBetweenAnyTwoStepsLosesNothing() throws IOException {
    List<CacheRow> before = rows(1, 5);
    List<CacheRow> after = rows(2, 6);
    cache.publish(after);
    byte[] newVectors = Files.readAllBytes(vectors);
    byte[] newKeys = Files.readAllBytes(keys);
    cache.publish(before);

    Files.write(folder.resolve(".embeddings.bin.1.helix-bg.tmp"), new byte[7]);
    Files.write(folder.resolve(".embeddings.keys.1.helix-bg.tmp"), new byte[7]);
    assertSameRows(before, cache.read().rows());
    Files.write(folder.resolve("embeddings.keys.next"), newKeys);
    assertSameRows(before, cache.read().rows());
    Files.write(vectors, newVectors);
    assertSameRows(after, cache.read().rows());
    Files.move(
        folder.resolve("embeddings.keys.next"),
        keys,
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertSameRows(after, cache.read().rows());
  }

  /** A save that dies at any step, then another one in what it left, and a third one. */
  @Test
  void deathAfterDeathLosesNothing() throws IOException {
    int steps = 6;
    for (int deaths = 0; deaths < steps * steps * steps; deaths++) {
      cache.publish(rows(1, 1));
      int good = 1;
      for (int save = 0, at = deaths; save < 3; save++, at /= steps) {
        int dieAt = at % steps;
        int[] step = new int[1];
        EmbeddingCache mortal =
            new EmbeddingCache(
                folder,
                () -> {
                  if (step[0]++ == dieAt) {
                    throw new IllegalStateException("killed");
                  }
                });
        int next = 2 + save;
        List<CacheRow> wanted = rows(next, next);
        cache.append(JournalTest.vectors(wanted));
        try {
          mortal.publish(wanted);
          good = next;
        } catch (IllegalStateException killed) {
          assertEquals(dieAt + 1, step[0]);
        }
        CacheContents found = cache.read();
        assertEquals(State.GOOD, found.state(), found.reason() + " after deaths " + deaths);
        int rows = found.rows().size();
        assertTrue(rows == good || rows == next, rows + " after " + good + " and " + next);
        assertSameRows(rows(rows, rows), found.rows());
        for (CacheRow row : wanted) { // from the journal, where they were not published
          assertArrayEquals(row.vector(), found.vector(row.key()).orElseThrow());
        }
        good = rows;
      }
    }
  }

  @Test
  void staleNextKeysDoNotHideGoodOnes() throws IOException {
    cache.publish(rows(1, 5));
    Files.write(folder.resolve("embeddings.keys.next"), new byte[100]);
    assertEquals(State.GOOD, cache.read().state());
    cache.publish(rows(2, 5));
    assertEquals(State.GOOD, cache.read().state());
    assertFalse(Files.exists(folder.resolve("embeddings.keys.next")));
  }

  /** A child process saves generation after generation until it is killed with SIGKILL. */
  @Test
  void killedSaversLeaveAWholeCache() throws Exception {
    Random random = new Random(7);
    for (int kill = 0; kill < 4; kill++) {
      Process child =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  SavingForever.class.getName(),
                  folder.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        child.getInputStream().read(); // after its first save
        Thread.sleep(random.nextInt(60));
      } finally {
        child.destroyForcibly();
        assertTrue(child.waitFor(20, TimeUnit.SECONDS));
      }
      CacheContents found = cache.read();
      assertEquals(State.GOOD, found.state(), found.reason());
      assertSameRows(rows(found.rows().size(), found.rows().size()), found.rows());
    }
  }

  /** The child process of the test above. */
  static final class SavingForever {
    public static void main(String[] arguments) throws IOException {
      EmbeddingCache cache = new EmbeddingCache(Path.of(arguments[0]));
      for (int generation = 1; ; generation = generation % 50 + 1) {
        cache.publish(rows(generation, generation));
        System.out.write('.');
        System.out.flush();
      }
    }
  }

  @Test
  void readOnlyFolderGivesAnErrorAndKeepsTheOldCache() throws IOException {
    cache.publish(rows(1, 3));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      assumeTrue(!Files.isWritable(folder), "root may write anywhere");
      assertThrows(IOException.class, () -> cache.publish(rows(2, 3)));
      assertSameRows(rows(1, 3), cache.read().rows());
    } finally {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  @Test
  void failedSaveLeavesOldRowsAndNoLitter() throws IOException {
    cache.publish(rows(1, 3));
    Files.createDirectory(folder.resolve("embeddings.keys.next")); // a rename onto it fails
    Files.createFile(folder.resolve("embeddings.keys.next").resolve("x"));
    assertThrows(IOException.class, () -> cache.publish(rows(2, 3)));
    assertSameRows(rows(1, 3), cache.read().rows());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.filter(file -> file.toString().endsWith(".tmp")).count());
    }
  }

  @Test
  void missingFolderGivesAnError() {
    EmbeddingCache nowhere = new EmbeddingCache(folder.resolve("missing"));
    IOException e = assertThrows(IOException.class, () -> nowhere.publish(rows(1, 1)));
    assertTrue(e.getMessage().startsWith("cannot save " + folder.resolve("missing")));
    assertEquals(State.MISSING, nowhere.read().state());
  }

  @Test
  void saverRefusesWhatAReaderWouldRefuse() {
    CacheRow good = rows(1, 1).getFirst();
    float[] zero = new float[384];
    assertThrows(IllegalArgumentException.class, () -> cache.publish(List.of(good, good)));
    assertThrows(
        IllegalArgumentException.class,
        () -> cache.publish(List.of(new CacheRow(1L << 32, good.key(), good.vector()))));
    assertThrows(
        IllegalArgumentException.class,
        () -> cache.publish(List.of(new CacheRow(1, good.key(), zero))));
    assertThrows(
        IllegalArgumentException.class,
        () -> cache.publish(List.of(new CacheRow(1, good.key(), new float[] {1}))));
  }

  @Test
  void interruptedThreadStillReadsAndSaves() throws IOException {
    cache.publish(rows(1, 3));
    Thread.currentThread().interrupt();
    try {
      assertEquals(State.GOOD, cache.read().state());
      cache.publish(rows(2, 3));
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
    assertSameRows(rows(2, 3), cache.read().rows());
  }

  @Test
  void keysTellModelsAndTextsApart() {
    TextKey key = TextKey.of("model", "text");
    assertEquals(key, TextKey.of("model", "text"));
    assertFalse(key.equals(TextKey.of("model2", "text")));
    assertFalse(key.equals(TextKey.of("model", "text ")));
    assertFalse(TextKey.of("ab", "c").equals(TextKey.of("a", "bc")));
    // printf 'model\0text' | sha256sum | cut -c1-32
    assertEquals("28ae071bd7e3eb058721f0ceeee7c9da", key.hex());
  }

  private void everyTruncationIsNoticed(Path file) throws IOException {
    cache.publish(rows(1, 3));
    byte[] good = Files.readAllBytes(file);
    for (int length = 0; length < good.length; length++) {
      Files.write(file, Arrays.copyOf(good, length));
      assertUnusable("");
    }
  }

  private void everyFlippedBitIsNoticed(Path file) throws IOException {
    cache.publish(rows(1, 1));
    byte[] bytes = Files.readAllBytes(file);
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, bytes);
      assertUnusable("");
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  private interface Damage {
    void apply(ByteBuffer bytes);
  }

  /** Damages the vectors and makes a sidecar that names exactly these bytes. */
  private void assertFault(String reason, Damage damage) throws IOException {
    List<CacheRow> rows = rows(1, 3);
    cache.publish(rows);
    byte[] bytes = Files.readAllBytes(vectors);
    damage.apply(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    Files.write(vectors, bytes);
    byte[] damaged = Files.readAllBytes(vectors);
    VectorFile.Stamp stamp =
        new VectorFile.Stamp(damaged.length, VectorFile.crc32c(damaged, 0, damaged.length));
    try (var out = Files.newOutputStream(keys)) {
      KeyFile.write(out, stamp, rows);
    }
    assertUnusable(reason);
  }

  private void assertUnusable(String reason) {
    CacheContents found = cache.read();
    assertEquals(State.UNUSABLE, found.state());
    assertTrue(found.rows().isEmpty());
    assertTrue(found.reason().contains(reason), found.reason());
  }

  private static void assertSameRows(List<CacheRow> expected, List<CacheRow> found) {
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i).offset(), found.get(i).offset());
      assertEquals(expected.get(i).key(), found.get(i).key());
      assertArrayEquals(expected.get(i).vector(), found.get(i).vector());
    }
  }

  static List<CacheRow> rows(long seed, int count) {
    Random random = new Random(seed);
    List<CacheRow> rows = new ArrayList<>();
    long offset = 8;
    for (int i = 0; i < count; i++) {
      float[] vector = new float[384];
      double squared = 0;
      for (int k = 0; k < vector.length; k++) {
        vector[k] = (float) random.nextGaussian();
        squared += vector[k] * vector[k];
      }
      for (int k = 0; k < vector.length; k++) {
        vector[k] /= (float) Math.sqrt(squared);
      }
      rows.add(new CacheRow(offset, TextKey.of("model", seed + " " + i), vector));
      offset += 1 + random.nextInt(1000);
    }
    return rows;
  }
}
