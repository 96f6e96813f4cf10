package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingStageTest {
  private static final Progress.Display SILENT = Progress.Display.SILENT;

  @TempDir Path kb;

  private final FakeEmbedder embedder = new FakeEmbedder();

  private EmbeddingStage.Result update(List<Entry> entries) throws InterruptedException {
    embedder.asked.clear();
    return update(entries, "model").run(entries, Saving.PUBLISHED);
  }

  /** A model with another way for many texts, whose vectors are those of other texts. */
  private EmbeddingStage.Result update(List<Entry> entries, double gain)
      throws InterruptedException {
    embedder.asked.clear();
    FakeModel model = FakeEmbedder.model("model", () -> embedder);
    model.forMany = Optional.of(new EmbedderSource.ForMany("other", () -> gain, () -> other));
    return new EmbeddingStage(new EmbeddingCache(kb), model, () -> {}, SILENT, System::nanoTime)
        .run(entries, Saving.PUBLISHED);
  }

  /** Of the other way. */
  private final FakeEmbedder other = new FakeEmbedder();

  private void assertAsked(int usual, int others) {
    assertEquals(List.of(usual, others), List.of(embedder.asked.size(), other.asked.size()));
    embedder.asked.clear();
    other.asked.clear();
  }

  /** All vectors of the cache are of one way. */
  private void assertCacheIsOf(String id, List<Entry> entries) {
    CacheContents cached = new EmbeddingCache(kb).read();
    assertEquals(
        entries.stream().map(entry -> TextKey.of(id, entry.embeddedText())).toList(),
        cached.rows().stream().map(CacheRow::key).toList());
    assertEquals(entries.size(), cached.byKey().size());
  }

  @Test
  void manyTextsGoTheOtherWayAndTheirCacheStaysWithIt() throws Exception {
    EmbeddingStage.Result made = update(notes(512), 1.2);
    assertAsked(0, 512);
    assertCacheIsOf("other", notes(512));
    assertEquals(
        notes(512).stream().map(one -> TextKey.of("model", one.embeddedText())).toList(),
        made.keys(),
        "entries keep their names");
    EmbeddingStage.Result more = update(notes(515), 1.01);
    assertAsked(0, 3);
    assertEquals(512, more.reused());
    assertCacheIsOf("other", notes(515));
    update(notes(516), 0); // it computes something else now
    assertAsked(516, 0);
    assertCacheIsOf("model", notes(516));
  }

  @Test
  void aHandfulGoesTheUsualWayAndSoDoesAllWhereTheOtherOneIsHardlyFaster() throws Exception {
    update(notes(511), 9);
    assertAsked(511, 0);
    update(notes(2_000), 1.14);
    assertAsked(1_489, 0);
    assertCacheIsOf("model", notes(2_000));
  }

  @Test
  void aCacheChangesWaysOnlyWhereThatIsLessWork() throws Exception {
    update(notes(400), 2);
    assertAsked(400, 0);
    update(notes(1_000), 1.6); // 600 of them, or all in the time of 625
    assertAsked(600, 0);
    update(notes(3_000), 1.6); // 2,000, or all in the time of 1,875
    assertAsked(0, 3_000);
    assertCacheIsOf("other", notes(3_000));
  }

  @Test
  void aChangeOfWaysThatWasInterruptedGoesOn() throws Exception {
    update(notes(400), 2);
    assertAsked(400, 0);
    other.interruptAfter = 1_300;
    assertThrows(InterruptedException.class, () -> update(notes(2_000), 2));
    assertAsked(0, 1_300);
    update(notes(2_000), 2);
    assertAsked(0, 700);
    assertCacheIsOf("other", notes(2_000));
  }

  @Test
  void passagesOfAnotherWayAreReadBesideEntriesOfTheUsualOne() throws Exception {
    List<Entry> entries =
        IntStream.range(0, 60).mapToObj(i -> entry(8 + 90_000L * i, longBody("n" + i))).toList();
    EmbeddingStage.Result made = update(entries, 2);
    int passages = made.passages().passages().size();
    assertTrue(passages >= 512);
    assertAsked(60, passages);
    assertCacheIsOf("model", entries);
    CacheContents cached = new EmbeddingCache(kb).ofPassages().read();
    VectorIds ids = new VectorIds(List.of("model", "other"), List.of("model", "other"));
    Entry last = entries.getLast();
    String text = Passage.of(last, 256).getFirst().embeddedText(last, 256);
    assertEquals("other", cached.id(ids.passages(), Stream.of("unknown", text)));
    assertEquals("model", cached.id(ids.passages(), Stream.of("unknown")));
  }

  private EmbeddingStage update(List<Entry> entries, String modelId) {
    return new EmbeddingStage(
        new EmbeddingCache(kb),
        FakeEmbedder.model(modelId, () -> embedder),
        () -> {},
        SILENT,
        System::nanoTime);
  }

  private static List<Entry> notes(int count) {
    return IntStream.range(0, count).mapToObj(i -> entry(8 + 100L * i, "note " + i)).toList();
  }

  private static Entry entry(long offset, String body) {
    return new Entry(offset, "topic", body, 0, EntryText.parse(body));
  }

  private List<Entry> log(String name) throws IOException {
    Path file = kb.resolve(name);
    try (InputStream in = EmbeddingStageTest.class.getResourceAsStream("/kb/" + name)) {
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
      entries.forEach(entry -> texts.addAll(embeddedTexts(entry)));
      Set<String> fresh = new HashSet<>(texts);
      fresh.removeAll(seen);

      EmbeddingStage.Result result = update(entries);

      assertEquals(fresh, new HashSet<>(embedder.asked), name);
      assertEquals(fresh.size(), result.embedded(), name);
      assertEquals(texts.size() - fresh.size(), result.reused(), name);
      assertHoldsExactly(entries);
      seen = texts;
    }
  }

  /** That of the entry and those of its passages. */
  private static List<String> embeddedTexts(Entry entry) {
    List<String> texts = new ArrayList<>(List.of(entry.embeddedText()));
    Passage.of(entry, 256).forEach(passage -> texts.add(passage.embeddedText(entry, 256)));
    return texts;
  }

  /** Of many words, no two of which begin alike. */
  private static String longBody(String begin) {
    return begin
        + " "
        + IntStream.range(0, 400).mapToObj(i -> begin + " " + i).collect(Collectors.joining(". "));
  }

  @Test
  void passagesOfLongEntriesHaveACacheOfTheirOwn() throws Exception {
    List<Entry> entries =
        List.of(entry(8, longBody("one")), entry(9_000, "short"), entry(20_000, longBody("two")));
    EmbeddingStage.Result made = update(entries);
    List<String> texts = entries.stream().flatMap(e -> embeddedTexts(e).stream()).toList();
    assertEquals(new HashSet<>(texts), new HashSet<>(embedder.asked));
    assertEquals(texts.size(), embedder.asked.size(), "each once");
    assertEquals(texts.size(), made.embedded());
    assertEquals(texts.size() - 3, made.passages().passages().size());
    assertHoldsExactly(entries);
    List<CacheRow> rows = new EmbeddingCache(kb).ofPassages().read().rows();
    assertEquals(made.passages().passages().size(), rows.size());
    for (int i = 0; i < rows.size(); i++) {
      Entry owner = entries.get(made.passages().owners()[i]);
      String text = made.passages().passages().get(i).embeddedText(owner, 256);
      assertArrayEquals(FakeEmbedder.vectorOf(text), rows.get(i).vector());
      assertArrayEquals(FakeEmbedder.vectorOf(text), made.passages().vectors().row(i));
      assertTrue(rows.get(i).offset() > owner.offset());
    }

    embedder.asked.clear();
    EmbeddingStage.Result again = update(entries);
    assertEquals(List.of(), embedder.asked);
    assertEquals(texts.size(), again.reused());
    assertArrayEquals(made.passages().vectors().values(), again.passages().vectors().values());

    List<Entry> left = List.of(entries.get(1), entries.get(2));
    update(left);
    assertEquals(List.of(), embedder.asked);
    rows = new EmbeddingCache(kb).ofPassages().read().rows();
    assertEquals(embeddedTexts(entries.get(2)).size() - 1, rows.size(), "what is gone goes");
  }

  @Test
  void anInterruptAmongPassagesLosesNothing() throws Exception {
    List<Entry> entries = List.of(entry(8, longBody("one")), entry(20_000, longBody("two")));
    embedder.interruptAfter = 5;
    assertThrows(InterruptedException.class, () -> update(entries));
    embedder.asked.clear();
    EmbeddingStage.Result result = update(entries);
    assertEquals(5, result.reused());
    assertEquals(result.embedded(), embedder.asked.size());
    assertHoldsExactly(entries);
  }

  @Test
  void aDamagedCacheOfPassagesIsMadeAnewAndNoOther() throws Exception {
    List<Entry> entries = List.of(entry(8, longBody("one")));
    update(entries);
    Path file = new EmbeddingCache(kb).ofPassages().vectors();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    embedder.asked.clear();
    EmbeddingStage.Result result = update(entries);
    assertTrue(result.rebuilt().orElseThrow().startsWith("passages."), result.rebuilt().toString());
    assertEquals(1, result.reused());
    assertEquals(embeddedTexts(entries.getFirst()).size() - 1, embedder.asked.size());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  /** The saved rows are those of the live entries, bit for bit. */
  private void assertHoldsExactly(List<Entry> entries) {
    CacheContents cached = new EmbeddingCache(kb).read();
    assertEquals(CacheContents.State.GOOD, cached.state());
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
    EmbeddingStage.Result result = update(twins);
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
        new EmbeddingStage(
            new EmbeddingCache(kb),
            FakeEmbedder.model(
                "model",
                () -> {
                  throw new AssertionError("the model was opened");
                }),
            () -> {},
            SILENT,
            System::nanoTime);
    assertEquals(5, untouched.run(entries, Saving.PUBLISHED).reused());
    assertEquals(before, Files.readAttributes(vectors, "fileKey,lastModifiedTime"));
  }

  @Test
  void anInterruptedRunKeepsWhatItHasAndTheNextOneGoesOnFromThere() throws Exception {
    List<Entry> entries = notes(2_000);
    embedder.interruptAfter = 700;
    assertThrows(InterruptedException.class, () -> update(entries));
    CacheContents saved = new EmbeddingCache(kb).read();
    assertEquals(700, saved.rows().size() + saved.journal().vectors().size());

    EmbeddingStage.Result result = update(entries);
    assertEquals(700, result.reused());
    assertEquals(1_300, embedder.asked.size());
    assertHoldsExactly(entries);
  }

  /** Whatever the moment at which the process dies. */
  @Test
  void neverIsMoreThanABatchUnsaved() throws Exception {
    assertEquals(EmbeddingStage.BATCH_TEXTS, mostUnsaved(4_000, Duration.ZERO));
    long inTime = 10 * EmbeddingStage.BATCH_TIME.toSeconds();
    assertEquals(inTime, mostUnsaved(200, Duration.ofMillis(100)));
    assertEquals(EmbeddingStage.BATCH_TIME.toSeconds() / 2, mostUnsaved(20, Duration.ofSeconds(2)));
  }

  /** The most vectors that were embedded and not on disk, just before a save or the next text. */
  private int mostUnsaved(int texts, Duration perText) throws Exception {
    new EmbeddingCache(kb).publish(List.of());
    long[] now = {0};
    int[] embedded = {0};
    int[] most = {0};
    Progress counting =
        work -> { // before the vector is taken in
          now[0] += perText.toNanos();
          embedded[0]++;
          most[0] = Math.max(most[0], embedded[0] - onDisk());
        };
    new EmbeddingStage(
            new EmbeddingCache(kb),
            FakeEmbedder.model("model", () -> embedder),
            () -> {},
            (what, things, work) -> counting,
            () -> now[0])
        .run(notes(texts), Saving.PUBLISHED);
    assertEquals(texts, embedded[0]);
    assertEquals(texts, onDisk());
    return most[0];
  }

  /** Vectors, by the sizes of the files, of headers and rows. */
  private int onDisk() {
    long published = kb.resolve(EmbeddingCache.VECTORS).toFile().length() / (4 + 4 * 384);
    long waiting = kb.resolve(EmbeddingCache.JOURNAL).toFile().length() / (16 + 4 * 384 + 4);
    return (int) (published + waiting);
  }

  /** 15 GB were written for 100,000 texts, when each batch replaced the whole file. */
  @Test
  void aFirstRunWritesEachVectorAFewTimesOnly() throws Exception {
    int texts = 10_000;
    WrittenBytes written = new WrittenBytes();
    new EmbeddingStage(
            new EmbeddingCache(kb),
            FakeEmbedder.model("model", () -> embedder),
            () -> {},
            (what, things, work) -> written,
            () -> 0)
        .run(notes(texts), Saving.PUBLISHED);
    written.step();
    assertTrue(written.bytes < 4L * texts * (4 + 4 * 384), written.bytes + " bytes written");
  }

  /** What is written to the files of the vectors, looked at after each text. */
  private final class WrittenBytes implements Progress {
    private final Map<String, Object> seen = new HashMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
    private long bytes;

    @Override
    public void step(long work) {
      for (String name :
          List.of(EmbeddingCache.VECTORS, EmbeddingCache.KEYS, EmbeddingCache.JOURNAL)) {
        try {
          BasicFileAttributes now =
              Files.readAttributes(kb.resolve(name), BasicFileAttributes.class);
          boolean replaced = !now.fileKey().equals(seen.put(name, now.fileKey()));
          long before = sizes.put(name, now.size()) instanceof Long size && !replaced ? size : 0;
          bytes += now.size() - before;
        } catch (NoSuchFileException e) {
          seen.remove(name);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    @Override
    public void close() {}
  }

  /** At 10,000 entries, 15 MB were written for each. */
  @Test
  void aNewEntryIsAppendedToTheJournalUntilSomebodyWantsAllPublished() throws Exception {
    List<Entry> entries = notes(10_000);
    update(entries.subList(0, 9_998));
    byte[] published = Files.readAllBytes(kb.resolve(EmbeddingCache.VECTORS));
    Path journal = kb.resolve(EmbeddingCache.JOURNAL);
    journal(entries.subList(0, 9_999));
    assertEquals(8 + 1_556, Files.size(journal));
    journal(entries);
    assertEquals(8 + 2 * 1_556, Files.size(journal));
    assertArrayEquals(published, Files.readAllBytes(kb.resolve(EmbeddingCache.VECTORS)));
    assertEquals(0, journal(entries).embedded());

    assertEquals(0, update(entries).embedded());
    assertHoldsExactly(entries);
    assertFalse(Files.exists(journal));
  }

  private EmbeddingStage.Result journal(List<Entry> entries) throws InterruptedException {
    return update(entries, "model").run(entries, Saving.JOURNAL);
  }

  @Test
  void whatWaitsIsPublishedWhenItIsAsMuchAsThereIs() throws Exception {
    List<Entry> entries = notes(400);
    update(entries.subList(0, 200));
    journal(entries.subList(0, 399));
    assertTrue(Files.exists(kb.resolve(EmbeddingCache.JOURNAL)));
    journal(entries);
    assertFalse(Files.exists(kb.resolve(EmbeddingCache.JOURNAL)));
    assertHoldsExactly(entries);
  }

  @Test
  void aSmallCacheIsPublishedAtOnce() throws Exception {
    update(notes(EmbeddingStage.FEW - 1));
    journal(notes(EmbeddingStage.FEW));
    assertHoldsExactly(notes(EmbeddingStage.FEW));
    journal(notes(EmbeddingStage.FEW + 1));
    assertTrue(Files.exists(kb.resolve(EmbeddingCache.JOURNAL)));
  }

  /** Whoever goes by offsets would be told of other entries. */
  @Test
  void whatACompactionMadeWrongIsPublishedAtOnce() throws Exception {
    update(notes(100));
    List<Entry> compacted =
        IntStream.range(1, 100).mapToObj(i -> entry(8 + 100L * (i - 1), "note " + i)).toList();
    assertEquals(0, journal(compacted).embedded());
    assertHoldsExactly(compacted);
  }

  @Test
  void whatIsOnlyGoneWaitsAndIsKnownToWait() throws Exception {
    update(notes(100));
    journal(notes(99));
    assertEquals(8, Files.size(kb.resolve(EmbeddingCache.JOURNAL)));
    update(notes(99));
    assertHoldsExactly(notes(99));
    assertFalse(Files.exists(kb.resolve(EmbeddingCache.JOURNAL)));
  }

  /** A process may die after it published, and before the journal is gone. */
  @Test
  void aJournalThatSaysNothingNewGoes() throws Exception {
    update(notes(100));
    new EmbeddingCache(kb).append(Map.of());
    journal(notes(100));
    assertFalse(Files.exists(kb.resolve(EmbeddingCache.JOURNAL)));
  }

  @Test
  void aJournalThatIsNotWholeIsNotAppendedTo() throws Exception {
    Path journal = kb.resolve(EmbeddingCache.JOURNAL);
    update(notes(100));
    journal(notes(102));
    Files.write(journal, Arrays.copyOf(Files.readAllBytes(journal), 8 + 1_556 + 100));
    embedder.asked.clear();
    assertEquals(101, journal(notes(103)).reused());
    assertEquals(2, embedder.asked.size(), "the one that was cut off, and the new one");
    assertFalse(Files.exists(journal));
    assertHoldsExactly(notes(103));
  }

  @Test
  void aLinkInPlaceOfTheJournalIsRemovedNotFollowed() throws Exception {
    Path journal = kb.resolve(EmbeddingCache.JOURNAL);
    Path zshrc = Files.writeString(kb.resolve("zshrc"), "alias ll=ls");
    update(notes(100));
    Files.createSymbolicLink(journal, zshrc);
    journal(notes(101));
    assertEquals("alias ll=ls", Files.readString(zshrc));
    assertFalse(Files.isSymbolicLink(journal));
    assertHoldsExactly(notes(101));
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
    assertEquals(3, update(entries, "another").run(entries, Saving.PUBLISHED).embedded());
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
    EmbeddingStage.Result result = update(entries, "model").run(entries, Saving.NOTHING);
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
