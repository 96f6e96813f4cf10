package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Sql;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.KbLayout;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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

  private static final int KEY_BYTES = 16;

  @TempDir Path kb;

  private final FakeEmbedder embedder = new FakeEmbedder();

  /** The user also waits for the speed trial, so its time counts as time before the first look. */
  @Test
  void theTimeOfANewestLookBeginsBeforeTheTrial() throws Exception {
    long[] now = {0};
    Duration time = Duration.ofSeconds(10);
    FakeModel model = model();
    model.otherWay =
        Optional.of(
            new EmbedderSource.OtherWay(
                "other",
                false,
                few -> {
                  now[0] += time.toNanos();
                  return 2;
                },
                () -> embedder));
    try (EmbeddingStage stages =
        new EmbeddingStage(store(), model, SILENT, () -> now[0], reading(notes(1_000)))) {
      assertFalse(stages.embedNewest(time));
      assertEquals(EmbeddingStage.NEWEST_TEXTS, stages.result().embedded());
    }
  }

  private EmbeddingStage.Result update(List<Entry> entries) throws InterruptedException {
    embedder.asked.clear();
    return update(entries, model());
  }

  /** Updates vectors by a model that has another method for many texts, with other vectors. */
  private EmbeddingStage.Result update(List<Entry> entries, double gain)
      throws InterruptedException {
    embedder.asked.clear();
    FakeModel model = model();
    model.otherWay =
        Optional.of(new EmbedderSource.OtherWay("other", opensFaster, few -> gain, () -> other));
    return update(entries, model);
  }

  private Database store;

  private Database store() {
    if (store == null) {
      store = TestDatabase.in(kb, VectorStore.TABLE, KbLayout.TABLE);
    }
    return store;
  }

  private KnownVectors ofEntries() {
    return VectorStore.ofEntries(store()).read();
  }

  private KnownVectors ofPassages() {
    return VectorStore.ofPassages(store()).read();
  }

  private void assertStoreIsOf(String id, List<Entry> entries) {
    KnownVectors known = ofEntries();
    for (Entry entry : entries) {
      assertTrue(known.vector(TextKey.of(id, entry.embeddedText())).isPresent(), entry.body());
    }
  }

  /** Asserts that the store has exactly the vectors of all entries. */
  private void assertHolds(List<Entry> entries) {
    KnownVectors known = ofEntries();
    for (Entry entry : entries) {
      assertArrayEquals(
          FakeEmbedder.vectorOf(entry.embeddedText()),
          known.vector(TextKey.of("model", entry.embeddedText())).orElseThrow());
    }
  }

  /** Embedder of the other method. */
  private final FakeEmbedder other = new FakeEmbedder();

  private boolean opensFaster;

  private void assertAsks(int notes, double gain, int usual, int others) throws Exception {
    update(notes(notes), gain);
    assertAsked(usual, others);
  }

  private void assertAsked(int usual, int others) {
    assertEquals(List.of(usual, others), List.of(embedder.asked.size(), other.asked.size()));
    embedder.asked.clear();
    other.asked.clear();
  }

  @Test
  void manyTextsGoTheOtherWayAndTheirCacheStaysWithIt() throws Exception {
    EmbeddingStage.Result made = update(notes(512), 1.2);
    assertAsked(0, 512);
    assertStoreIsOf("other", notes(512));
    assertEquals(
        notes(512).stream().map(one -> TextKey.of("model", one.embeddedText()).hex()).toList(),
        made.entries().named().stream().map(NamedEntry::key).toList(),
        "entries keep their names");
    assertAsks(515, 1.01, 0, 3);
    assertStoreIsOf("other", notes(515));
    assertAsks(516, 0, 516, 0); // the embedder now computes other vectors
    assertStoreIsOf("model", notes(516));
  }

  @Test
  void aHandfulGoesTheUsualWayAndSoDoesAllWhereTheOtherOneIsHardlyFaster() throws Exception {
    assertAsks(511, 9, 511, 0);
    assertAsks(2_000, 1.14, 1_489, 0);
    assertStoreIsOf("model", notes(2_000));
  }

  @Test
  void aCacheChangesWaysOnlyWhereThatIsLessWork() throws Exception {
    assertAsks(400, 2, 400, 0);
    assertAsks(1_000, 1.6, 600, 0); // 600 of them, or all in the time of 625
    assertAsks(3_000, 1.6, 0, 3_000); // 2,000, or all in the time of 1,875
    assertStoreIsOf("other", notes(3_000));
  }

  @Test
  void aChangeOfWaysThatWasInterruptedGoesOn() throws Exception {
    assertAsks(400, 2, 400, 0);
    other.interruptAfter = 1_300;
    assertThrows(InterruptedException.class, () -> update(notes(2_000), 2));
    assertAsked(0, 1_300);
    assertAsks(2_000, 2, 0, 700);
    assertStoreIsOf("other", notes(2_000));
  }

  @Test
  void aFewTextsOfANewCacheUseTheWayThatOpensFaster() throws Exception {
    opensFaster = true;
    assertAsks(3, 0, 3, 0);
    assertAsks(4, 2, 1, 0);
    VectorStore.ofEntries(store()).forgetStale(1_000, Map.of());
    assertAsks(3, 1.15, 0, 3);
    assertAsks(4, 0.5, 0, 1);
    assertStoreIsOf("other", notes(4));
    assertAsks(5, 0, 5, 0);
    assertStoreIsOf("model", notes(5));
  }

  @Test
  void passagesOfAnotherWayAreReadBesideEntriesOfTheUsualOne() throws Exception {
    List<Entry> entries =
        IntStream.range(0, 60).mapToObj(i -> entry(8 + 90_000L * i, longBody("n" + i))).toList();
    EmbeddingStage.Result made = update(entries, 2);
    int passages = made.entries().passages().passages().size();
    assertTrue(passages >= 512);
    assertAsked(60, passages);
    assertStoreIsOf("model", entries);
    KnownVectors known = ofPassages();
    VectorIds ids = new VectorIds(List.of("model", "other"), List.of("model", "other"));
    Entry last = entries.getLast();
    String text = Passage.of(last, 256).getFirst().embeddedText(last, 256);
    assertEquals("other", known.id(ids.passages(), Stream.of("unknown", text)));
    assertEquals("model", known.id(ids.passages(), Stream.of("unknown")));
  }

  private EmbeddingStage.Result update(List<Entry> entries, FakeModel model)
      throws InterruptedException {
    try (EmbeddingStage stage = new EmbeddingStage(store(), model, SILENT, reading(entries))) {
      stage.run();
      return stage.result();
    }
  }

  private FakeModel model() {
    return FakeEmbedder.model("model", () -> embedder);
  }

  private static LogReading reading(List<Entry> entries) {
    int live = entries.size();
    return new LogReading(entries, new LogAccount(0, "", live, 0, live, List.of()));
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

  /** With the layout, a search finds the same entries as by hashing and dividing the texts. */
  @Test
  void aLayoutHasTheEntriesAsTheTextsHaveThem() throws Exception {
    DataLogBytes bytes = new DataLogBytes();
    String text = "The lease of a job ends after thirty seconds. ".repeat(60);
    for (String body : List.of("short", text, "short", "another, and " + text)) {
      bytes.entry("queue", body, 1);
    }
    Path file = Files.write(kb.resolve("data.log"), bytes.toByteArray());
    LogReading log = DataLog.read(file);
    FakeModel model = model();
    try (EmbeddingStage stages = new EmbeddingStage(store(), model, SILENT, log)) {
      stages.keepLayout("hash");
      assertEquals(Optional.empty(), layout(model.ids(), "hash"), "not all have vectors");
      stages.run();
      stages.keepLayout("hash");
    }
    KbEntries expected;
    try (EmbeddingStage stages = new EmbeddingStage(store(), model, SILENT, log)) {
      expected = stages.result().entries();
    }
    assertTrue(expected.passages().passages().size() > 1);
    KbEntries found = layout(model.ids(), "hash").orElseThrow();
    assertEquals(expected.named(), found.named());
    assertArrayEquals(expected.vectors().values(), found.vectors().values());
    assertArrayEquals(expected.passages().owners(), found.passages().owners());
    assertEquals(expected.passages().passages(), found.passages().passages());
    assertArrayEquals(expected.passages().vectors().values(), found.passages().vectors().values());
    assertEquals(expected.coverage(), found.coverage());
    assertEquals(expected.way(), found.way());
    assertEquals("hash", found.log().sha256(), "the log is not hashed again");
    assertEquals(Optional.empty(), layout(model.ids(), "hash of another log"));
    assertEquals(
        Optional.empty(), layout(new VectorIds(List.of("other"), List.of("other")), "hash"));
    TestDatabase.change(store(), "UPDATE vectors SET checksum = checksum + 1 WHERE id = 1");
    assertEquals(Optional.empty(), layout(model.ids(), "hash"), "a vector is damaged");
    TestDatabase.change(store(), "UPDATE vectors SET checksum = checksum - 1 WHERE id = 1");
    assertTrue(layout(model.ids(), "hash").isPresent());
    TestDatabase.change(store(), "UPDATE layout SET way = 'other'");
    assertEquals(Optional.empty(), layout(model.ids(), "hash"), "the layout is damaged");
    TestDatabase.change(store(), "UPDATE layout SET way = 'model'");
    TestDatabase.change(store(), "UPDATE vectors SET id = id + 1000 WHERE kind = 'entry'");
    assertEquals(Optional.empty(), layout(model.ids(), "hash"), "vectors have moved");
  }

  private Optional<KbEntries> layout(VectorIds ids, String hash) {
    return KbLayout.read(kb.resolve("data.log"), hash, store(), ids, model().maxTokens());
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
      assertHolds(entries);
      seen = texts;
    }
  }

  private static List<String> embeddedTexts(Entry entry) {
    List<String> texts = new ArrayList<>(List.of(entry.embeddedText()));
    Passage.of(entry, 256).forEach(passage -> texts.add(passage.embeddedText(entry, 256)));
    return texts;
  }

  /** Returns a text of many words; no two texts begin alike. */
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
    assertEquals(texts.size() - 3, made.entries().passages().passages().size());
    assertHolds(entries);
    KnownVectors known = ofPassages();
    assertEquals(made.entries().passages().passages().size(), known.byKey().size());
    for (int i = 0; i < known.byKey().size(); i++) {
      Entry owner = entries.get(made.entries().passages().owners()[i]);
      String text = made.entries().passages().passages().get(i).embeddedText(owner, 256);
      assertArrayEquals(
          FakeEmbedder.vectorOf(text), known.vector(TextKey.of("model", text)).orElseThrow());
      assertArrayEquals(FakeEmbedder.vectorOf(text), made.entries().passages().vectors().row(i));
    }

    embedder.asked.clear();
    EmbeddingStage.Result again = update(entries);
    assertEquals(List.of(), embedder.asked);
    assertArrayEquals(
        made.entries().passages().vectors().values(),
        again.entries().passages().vectors().values());

    List<Entry> left = List.of(entries.get(1), entries.get(2));
    update(left);
    assertEquals(List.of(), embedder.asked);
  }

  @Test
  void entriesOfTheSameTextAreEmbeddedOnce() throws Exception {
    List<Entry> twins =
        List.of(entry(8, "same"), entry(50, "[tags: gap]\nsame"), entry(90, "other"));
    EmbeddingStage.Result result = update(twins);
    assertEquals(2, embedder.asked.size());
    List<NamedEntry> named = result.entries().named();
    assertEquals(3, result.entries().vectors().count());
    assertEquals(TextKey.of("model", "topic same").hex(), named.get(0).key(), "topic and content");
    assertEquals(named.get(0).key(), named.get(1).key());
    assertHolds(twins);
  }

  @Test
  void anInterruptedRunKeepsWhatItHasAndTheNextOneGoesOnFromThere() throws Exception {
    List<Entry> entries = new ArrayList<>(notes(2_000));
    entries.add(entry(300_000, longBody("one")));
    int texts = 2_000 + embeddedTexts(entries.getLast()).size();
    int before = 0;
    for (int last : List.of(700, 2_005)) { // number of the last text: an entry, and a passage
      embedder.asked.clear();
      embedder.interruptAfter = last - before;
      assertThrows(InterruptedException.class, () -> update(entries, model()));
      assertEquals(last, ofEntries().byKey().size() + ofPassages().byKey().size());
      before = last;
    }
    assertEquals(texts - 2_005, update(entries).embedded());
    assertHolds(entries);
  }

  /** This holds whenever the process dies. */
  @Test
  void neverIsMoreThanABatchUnsaved() throws Exception {
    int texts = 4_000;
    int[] embedded = {0};
    int[] most = {0};
    Progress counting =
        (_, _) -> { // before the vector is received
          embedded[0]++;
          most[0] = Math.max(most[0], embedded[0] - onDisk());
        };
    try (EmbeddingStage stage =
        new EmbeddingStage(
            store(), model(), (what, things, work) -> counting, reading(notes(texts)))) {
      stage.run();
    }
    assertEquals(texts, onDisk());
    assertEquals(TextVectors.BATCH_TEXTS, most[0]);
  }

  private int onDisk() {
    return store()
        .read(
            connection ->
                Sql.number(
                    connection,
                    "SELECT COALESCE(SUM(LENGTH(keys)), 0) / %d FROM vectors"
                        .formatted(KEY_BYTES)));
  }

  /** An earlier version replaced the whole file after each batch: 15 GB for 100,000 texts. */
  @Test
  void aFirstRunWritesAtMostThreeTimesWhatItKeeps() throws Exception {
    assumeTrue(Files.isReadable(IO), "only Linux tells");
    int texts = 10_000;
    update(notes(1)); // a new database and new classes are not counted
    long before = written();
    FakeModel model = model();
    try (EmbeddingStage stage =
        new EmbeddingStage(store(), model, SILENT, () -> 0, reading(notes(texts)))) {
      stage.run();
    }
    long bytes = written() - before;
    long kept = texts * (long) (KEY_BYTES + 4 * VectorStore.DIMENSION);
    assertTrue(bytes < 3 * kept, bytes + " bytes written of " + kept);
  }

  private static final Path IO = Path.of("/proc/self/io");

  private static long written() throws IOException {
    return Files.readAllLines(IO).stream()
        .filter(line -> line.startsWith("wchar: "))
        .mapToLong(line -> Long.parseLong(line.substring("wchar: ".length())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void nothingNewNeitherOpensTheModelNorWritesTheStore() throws Exception {
    List<Entry> entries = notes(5);
    update(entries);
    int before = VectorStore.version(store());
    FakeModel untouched =
        FakeEmbedder.model(
            "model",
            () -> {
              throw new AssertionError("the model was opened");
            });
    assertEquals(0, update(entries, untouched).embedded());
    assertEquals(before, VectorStore.version(store()));
    assertEquals(5, update(entries, FakeEmbedder.model("another", () -> embedder)).embedded());
  }

  @Test
  void vectorsThatMostlyBelongToNoTextAreForgotten() throws Exception {
    update(notes(2_000));
    List<Entry> fewer = notes(2_000).subList(0, 1_500);
    assertEquals(0, update(fewer).embedded());
    assertEquals(2_000, ofEntries().byKey().size(), "a few that are gone may come back");
    fewer = fewer.subList(0, 100);
    assertEquals(0, update(fewer).embedded());
    assertEquals(100, ofEntries().byKey().size());
    assertHolds(fewer);
  }

  @Test
  void damagedVectorsAreMadeAnewAndNoOthers() throws Exception {
    List<Entry> entries = List.of(entry(8, longBody("one")));
    update(entries);
    TestDatabase.change(
        store(), "UPDATE vectors SET vectors = zeroblob(LENGTH(vectors)) WHERE kind = 'passage'");
    update(entries);
    assertEquals(embeddedTexts(entries.getFirst()).size() - 1, embedder.asked.size());
    assertHolds(entries);
    assertEquals(0, update(entries).embedded());
  }
}
