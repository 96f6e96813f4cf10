package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VectorUpdateTest {
  private static final Progress.Display SILENT = (what, total) -> Progress.SILENT;

  @TempDir Path kb;

  private final FakeEmbedder embedder = new FakeEmbedder();

  private VectorUpdate.Result update(List<Entry> entries) throws InterruptedException {
    embedder.asked.clear();
    return update(entries, "model").run(entries, true);
  }

  private VectorUpdate update(List<Entry> entries, String modelId) {
    return new VectorUpdate(new EmbeddingCache(kb), modelId, () -> embedder, SILENT);
  }

  private static List<Entry> notes(int count) {
    return IntStream.range(0, count).mapToObj(i -> entry(8 + 100L * i, "note " + i)).toList();
  }

  private static Entry entry(long offset, String body) {
    return new Entry(offset, "topic", body, 0, EntryText.parse(body));
  }

  private List<Entry> log(String name) throws IOException {
    Path file = kb.resolve(name);
    try (InputStream in = VectorUpdateTest.class.getResourceAsStream("/kb/" + name)) {
      Files.write(file, in.readAllBytes());
    }
    return DataLog.read(file).entries();
  }

  @Test
  void onlyTextsNeverSeenAreEmbeddedAcrossEditCompactionAndAppend() throws Exception {
    Set<String> seen = new HashSet<>();
    for (String name :
        List.of("01-fresh.log", "02-edited.log", "03-compacted.log", "04-appended.log")) {
      List<Entry> entries = log(name);
      Set<String> texts = new HashSet<>();
      entries.forEach(entry -> texts.add(entry.embeddedText()));
      Set<String> fresh = new HashSet<>(texts);
      fresh.removeAll(seen);

      VectorUpdate.Result result = update(entries);

      assertEquals(fresh, new HashSet<>(embedder.asked), name);
      assertEquals(fresh.size(), result.embedded(), name);
      assertEquals(texts.size() - fresh.size(), result.reused(), name);
      assertHoldsExactly(entries);
      seen = texts;
    }
  }

  /** The saved rows are those of the live entries, bit for bit. */
  private void assertHoldsExactly(List<Entry> entries) {
    CachedVectors cached = new EmbeddingCache(kb).read();
    assertEquals(CachedVectors.State.GOOD, cached.state());
    assertEquals(
        entries.stream().map(Entry::offset).toList(),
        cached.rows().stream().map(row -> row.offset()).toList());
    for (int i = 0; i < entries.size(); i++) {
      assertArrayEquals(
          FakeEmbedder.vectorOf(entries.get(i).embeddedText()), cached.rows().get(i).vector());
    }
  }

  @Test
  void entriesOfTheSameTextAreEmbeddedOnce() throws Exception {
    List<Entry> twins = List.of(entry(8, "same"), entry(50, "same"), entry(90, "other"));
    VectorUpdate.Result result = update(twins);
    assertEquals(2, embedder.asked.size());
    assertEquals(3, result.vectors().size());
    assertEquals(result.keys().get(0), result.keys().get(1));
    assertHoldsExactly(twins);
  }

  @Test
  void nothingNewNeitherOpensTheModelNorWritesTheCache() throws Exception {
    List<Entry> entries = notes(5);
    update(entries);
    Path vectors = kb.resolve(EmbeddingCache.VECTORS);
    Object before = Files.readAttributes(vectors, "fileKey,lastModifiedTime");
    var untouched =
        new VectorUpdate(
            new EmbeddingCache(kb),
            "model",
            () -> {
              throw new AssertionError("the model was opened");
            },
            SILENT);
    assertEquals(5, untouched.run(entries, true).reused());
    assertEquals(before, Files.readAttributes(vectors, "fileKey,lastModifiedTime"));
  }

  @Test
  void anInterruptedRunKeepsWhatItHasAndTheNextOneGoesOnFromThere() throws Exception {
    List<Entry> entries = notes(2_000);
    embedder.interruptAfter = 700;
    assertThrows(InterruptedException.class, () -> update(entries));
    assertEquals(700, new EmbeddingCache(kb).read().rows().size());

    VectorUpdate.Result result = update(entries);
    assertEquals(700, result.reused());
    assertEquals(1_300, embedder.asked.size());
    assertHoldsExactly(entries);
  }

  /** Whatever the moment at which the process dies. */
  @Test
  void neverIsMoreThanABatchUnsaved() throws Exception {
    Duration none = Duration.ZERO;
    assertEquals(VectorUpdate.BATCH_TEXTS, mostUnsaved(2_000, none, none));
    Duration aTenth = Duration.ofMillis(100);
    assertEquals(10 * VectorUpdate.BATCH_TIME.toSeconds(), mostUnsaved(100, aTenth, none));
    Duration second = Duration.ofSeconds(1);
    assertEquals(10, mostUnsaved(100, second, second), "saving takes a tenth of the time");
    assertEquals(
        VectorUpdate.LONGEST_BATCH_TIME.toSeconds(),
        mostUnsaved(100, second, Duration.ofMinutes(1)));
  }

  /** The most vectors that were embedded and not on disk, just before a save or the next text. */
  private int mostUnsaved(int texts, Duration perText, Duration perSave) throws Exception {
    Files.deleteIfExists(kb.resolve(EmbeddingCache.VECTORS));
    Files.deleteIfExists(kb.resolve(EmbeddingCache.KEYS));
    long[] now = {0};
    int[] embedded = {0};
    int[] most = {0};
    int[] saved = {0};
    Progress counting =
        new Progress() {
          @Override
          public void step() { // after a vector was taken in, before it is saved
            now[0] += perText.toNanos();
            embedded[0]++;
            most[0] = Math.max(most[0], embedded[0] - rowsOnDisk());
          }

          @Override
          public void close() {}
        };
    LongSupplier clock =
        () -> {
          if (rowsOnDisk() != saved[0]) {
            saved[0] = rowsOnDisk();
            now[0] += perSave.toNanos();
          }
          return now[0];
        };
    new VectorUpdate(
            new EmbeddingCache(kb), "model", () -> embedder, (what, total) -> counting, clock)
        .run(notes(texts), true);
    assertEquals(texts, embedded[0]);
    assertEquals(texts, rowsOnDisk());
    return most[0];
  }

  /** By the size of the file, of a header and rows. */
  private int rowsOnDisk() {
    return (int) ((kb.resolve(EmbeddingCache.VECTORS).toFile().length()) / (4 + 4 * 384));
  }

  @Test
  void vectorsOfEntriesThatAreGoneAreDropped() throws Exception {
    update(notes(5));
    List<Entry> fewer = notes(5).subList(2, 4);
    assertEquals(0, update(fewer).embedded());
    assertHoldsExactly(fewer);
  }

  @Test
  void anotherModelReusesNothing() throws Exception {
    List<Entry> entries = notes(3);
    update(entries);
    assertEquals(3, update(entries, "another").run(entries, true).embedded());
  }

  @Test
  void aDamagedCacheIsMadeAnewAndSaysSo() throws Exception {
    List<Entry> entries = notes(3);
    assertEquals(Optional.empty(), update(entries).rebuilt());
    Path vectors = kb.resolve(EmbeddingCache.VECTORS);
    byte[] bytes = Files.readAllBytes(vectors);
    bytes[bytes.length - 1] ^= 1;
    Files.write(vectors, bytes);
    assertTrue(update(entries).rebuilt().isPresent());
    assertEquals(3, embedder.asked.size());
    assertHoldsExactly(entries);
  }

  @Test
  void withoutSavingNothingIsWritten() throws Exception {
    List<Entry> entries = notes(3);
    VectorUpdate.Result result = update(entries, "model").run(entries, false);
    assertEquals(3, result.vectors().size());
    assertFalse(Files.exists(kb.resolve(EmbeddingCache.VECTORS)));
  }

  @Test
  void aCacheThatCannotBeWrittenIsOneClearFailure() throws Exception {
    Files.createDirectory(kb.resolve(EmbeddingCache.VECTORS));
    Files.createFile(kb.resolve(EmbeddingCache.VECTORS).resolve("in the way"));
    Failure failure = assertThrows(Failure.class, () -> update(notes(3)));
    assertEquals(ExitCode.WRITE, failure.code());
    assertTrue(failure.getMessage().contains(EmbeddingCache.VECTORS), failure.getMessage());
  }

  @Test
  void keysAreThoseOfTopicAndContent() throws Exception {
    List<Entry> entries = List.of(entry(8, "[tags: gap]\nthe text"));
    assertEquals(List.of(TextKey.of("model", "topic the text")), update(entries).keys());
  }
}
