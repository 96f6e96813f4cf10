package dev.helixbg.embed.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.CacheContents.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The journal of a cache, in whatever state somebody or something left it. */
class JournalTest {

  @TempDir(factory = InMemory.class)
  Path folder;

  private EmbeddingCache cache;
  private Path file;

  @BeforeEach
  void open() {
    cache = new EmbeddingCache(folder);
    file = folder.resolve("embeddings.journal");
  }

  static Map<TextKey, float[]> vectors(List<CacheRow> rows) {
    Map<TextKey, float[]> vectors = new LinkedHashMap<>();
    rows.forEach(row -> vectors.put(row.key(), row.vector()));
    return vectors;
  }

  private static Map<TextKey, float[]> vectors(long seed, int count) {
    return vectors(EmbeddingCacheTest.rows(seed, count));
  }

  private Journal journal() {
    return cache.read().journal();
  }

  private static void assertHolds(Map<TextKey, float[]> expected, CacheContents found) {
    expected.forEach(
        (key, vector) -> assertArrayEquals(vector, found.vector(key).orElseThrow(), key.hex()));
  }

  @Test
  void appendedVectorsComeBackBitForBitBesideThoseOfTheFile() throws IOException {
    List<CacheRow> rows = EmbeddingCacheTest.rows(1, 5);
    cache.publish(rows);
    byte[] published = Files.readAllBytes(folder.resolve(EmbeddingCache.VECTORS));
    cache.append(vectors(2, 3));
    cache.append(vectors(3, 4));
    CacheContents found = cache.read();
    assertHolds(vectors(rows), found);
    assertHolds(vectors(2, 3), found);
    assertHolds(vectors(3, 4), found);
    assertEquals(5, found.rows().size());
    assertEquals(Journal.State.WHOLE, found.journal().state());
    assertEquals(7, found.journal().vectors().size());
    assertEquals(8 + 7 * 1556, Files.size(file));
    assertTrue(found.vector(TextKey.of("another model", "2 0")).isEmpty());
    assertArrayEquals(published, Files.readAllBytes(folder.resolve(EmbeddingCache.VECTORS)));
  }

  @Test
  void withoutAnyPublishedFileItIsReadAllTheSame() throws IOException {
    cache.append(vectors(1, 2));
    assertEquals(CacheContents.State.MISSING, cache.read().state());
    assertHolds(vectors(1, 2), cache.read());
  }

  @Test
  void publishingEndsIt() throws IOException {
    cache.append(vectors(1, 2));
    cache.publish(EmbeddingCacheTest.rows(1, 2));
    assertFalse(Files.exists(file));
    assertEquals(Journal.State.NONE, journal().state());
  }

  @Test
  void anEmptyOneSaysThatThereIsSomethingToPublish() throws IOException {
    cache.append(Map.of());
    assertEquals(Journal.State.WHOLE, journal().state());
    cache.append(vectors(1, 1));
    assertHolds(vectors(1, 1), cache.read());
  }

  @Test
  void everyTruncationCostsTheRecordsThatWereCutOnly() throws IOException {
    Map<TextKey, float[]> vectors = vectors(1, 3);
    cache.append(vectors);
    byte[] whole = Files.readAllBytes(file);
    List<TextKey> keys = List.copyOf(vectors.keySet());
    for (int length = whole.length - 1; length >= 0; length--) {
      Files.write(file, Arrays.copyOf(whole, length));
      Journal found = journal();
      int records = Math.max(0, length - 8) / 1556;
      boolean atEnd = length >= 8 && (length - 8) % 1556 == 0;
      assertEquals(atEnd ? Journal.State.WHOLE : Journal.State.TORN, found.state());
      assertEquals(atEnd, cache.takesMore(found));
      assertEquals(keys.subList(0, records), List.copyOf(found.vectors().keySet()));
    }
  }

  @Test
  void everyFlippedBitIsNoticedAndCostsOneVectorAtMost() throws IOException {
    Map<TextKey, float[]> vectors = vectors(1, 2);
    cache.append(vectors);
    byte[] bytes = Files.readAllBytes(file);
    for (int bit = 0; bit < (8 + 1556) * 8; bit++) { // of the header and the first of two records
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, bytes);
      Journal found = journal();
      assertEquals(Journal.State.DAMAGED, found.state());
      assertFalse(cache.takesMore(found));
      assertEquals(bit < 64 ? 0 : 1, found.vectors().size());
      found.vectors().forEach((key, vector) -> assertArrayEquals(vectors.get(key), vector));
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void vectorsThatAreNoneAreNotBelieved() throws IOException {
    float[] zero = new float[384];
    assertThrows(
        IllegalArgumentException.class, () -> cache.append(Map.of(new TextKey(1, 2), zero)));
    JournalFile.append(file, Map.of(new TextKey(1, 2), zero));
    assertEquals(Journal.State.DAMAGED, journal().state());
    assertTrue(journal().vectors().isEmpty());
  }

  /** Somebody else's folder may hold {@code embeddings.journal -> ~/.zshrc}. */
  @Test
  void aLinkIsNeitherReadNorWrittenThrough() throws IOException {
    Path target = folder.resolve("zshrc");
    cache.append(vectors(1, 2));
    Files.move(file, target);
    byte[] before = Files.readAllBytes(target);
    Files.createSymbolicLink(file, target);
    assertEquals(Journal.State.DAMAGED, journal().state());
    assertTrue(cache.read().vector(vectors(1, 2).keySet().iterator().next()).isEmpty());
    IOException e = assertThrows(IOException.class, () -> cache.append(vectors(2, 1)));
    assertTrue(e.getMessage().contains("embeddings.journal"), e.getMessage());
    assertArrayEquals(before, Files.readAllBytes(target));
    cache.publish(EmbeddingCacheTest.rows(2, 1));
    assertFalse(Files.exists(file, LinkOption.NOFOLLOW_LINKS));
    assertArrayEquals(before, Files.readAllBytes(target));
    Files.createSymbolicLink(file, folder.resolve("nowhere"));
    assertEquals(Journal.State.DAMAGED, journal().state());
    assertThrows(IOException.class, () -> cache.append(vectors(2, 1)));
    assertFalse(Files.exists(folder.resolve("nowhere")));
  }

  @Test
  @Timeout(60)
  void aPipeOrAFolderInItsPlaceIsNotOpened() throws Exception {
    for (String name : List.of("embeddings.journal", "embeddings.keys", "embeddings.bin")) {
      cache.publish(EmbeddingCacheTest.rows(1, 2));
      Files.deleteIfExists(folder.resolve(name));
      Process mkfifo = new ProcessBuilder("mkfifo", folder.resolve(name).toString()).start();
      assertTrue(mkfifo.waitFor(20, TimeUnit.SECONDS) && mkfifo.exitValue() == 0);
      CacheContents found = cache.read();
      if (name.endsWith(".journal")) {
        assertEquals(Journal.State.DAMAGED, found.journal().state());
      } else {
        assertEquals(CacheContents.State.UNUSABLE, found.state());
      }
      cache.publish(EmbeddingCacheTest.rows(1, 2));
      assertEquals(CacheContents.State.GOOD, cache.read().state());
    }
    Files.createDirectory(file);
    assertEquals(Journal.State.DAMAGED, journal().state());
  }

  @Test
  void itIsForItsOwnerOnlyAndAppendedToOnlyWhereItIs() throws IOException {
    cache.append(vectors(1, 2));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertEquals(Journal.State.OPEN, journal().state());
    assertFalse(cache.takesMore(journal()));
    assertHolds(vectors(1, 2), cache.read());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    assertTrue(cache.takesMore(journal()), "a stick of one user's has such modes");
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(file), files.toList(), "nothing else is left");
    }
  }

  /** What leaves the journal is in the file by then. */
  @Test
  void aReaderBesideAPublishingProcessMissesNothing() throws IOException {
    cache.publish(EmbeddingCacheTest.rows(1, 3));
    List<CacheRow> rows = EmbeddingCacheTest.rows(2, 3);
    cache.append(vectors(rows));
    EmbeddingCache reader =
        new EmbeddingCache(
            folder,
            () -> {
              try {
                cache.publish(rows);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    assertHolds(vectors(rows), reader.read());
    EmbeddingCache writer =
        new EmbeddingCache(folder, () -> assertHolds(vectors(rows), cache.read()));
    cache.append(vectors(rows));
    writer.publish(rows);
  }

  @Test
  void anInterruptedThreadStillReadsAndAppends() throws IOException {
    Thread.currentThread().interrupt();
    try {
      cache.append(vectors(1, 600));
      assertEquals(600, journal().vectors().size());
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
  }

  /** A child process appends batch after batch until it is killed with SIGKILL. */
  @Test
  void aKilledAppenderLosesNothingThatWasAppended() throws Exception {
    Random random = new Random(7);
    for (int kill = 0; kill < 3; kill++) {
      Process child =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  AppendingForever.class.getName(),
                  folder.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      int appended = 0;
      try {
        for (int wanted = 1 + random.nextInt(20); appended < wanted; appended++) {
          assertEquals('.', child.getInputStream().read());
        }
      } finally {
        child.destroyForcibly();
        assertTrue(child.waitFor(20, TimeUnit.SECONDS));
      }
      CacheContents found = cache.read();
      for (int batch = 0; batch < appended; batch++) {
        assertHolds(vectors(batch, 8), found);
      }
      assertFalse(found.journal().state() == Journal.State.DAMAGED, found.journal().reason());
      Files.delete(file);
    }
  }

  /** The child process of the test above. */
  static final class AppendingForever {
    public static void main(String[] arguments) throws IOException {
      EmbeddingCache cache = new EmbeddingCache(Path.of(arguments[0]));
      for (int batch = 0; ; batch++) {
        cache.append(vectors(batch, 8));
        System.out.write('.');
        System.out.flush();
      }
    }
  }
}
