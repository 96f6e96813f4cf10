package dev.helixbg.insight.decisions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Schema;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class DecisionStoreTest {
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");
  private static final String ABOUT = "auth:1 ~ auth:7 \u202e \uD83D\uDE00 \"\n\u0000 end";

  @TempDir(factory = InMemory.class)
  Path folder;

  private final List<String> warnings = new ArrayList<>();
  private Path copy;
  @AutoClose private Database database;
  private DecisionStore store;

  @BeforeEach
  void open() {
    copy = folder.resolve("decisions.json");
    database = opened(folder);
    store = new DecisionStore(database);
  }

  /** Opens a database as a KB does: a new database is filled from the copy. */
  private Database opened(Path folder) {
    Schema schema =
        new Schema(
            1,
            List.of(DecisionStore.TABLE),
            connection -> {
              DecisionStore.restore(connection, folder.resolve(TestDatabase.NAME));
              return null;
            });
    return TestDatabase.in(folder, schema, warnings::add);
  }

  private void reopen() {
    database.close();
    open();
  }

  private static Decision decision(String id, Outcome verdict) {
    return new Decision(id, verdict, AT, ABOUT);
  }

  private static String id(int number) {
    return "dup-%010x".formatted(number);
  }

  private void add(int number) {
    store.add(List.of(decision(id(number), Outcome.DONE)));
  }

  private List<String> settled() {
    return store.read().settled().stream().map(d -> d.id() + " " + d.outcome()).toList();
  }

  private List<Decision> all() {
    return List.copyOf(store.read().settled());
  }

  /** Returns the decisions of the copy, read through a new database that is filled from it. */
  private List<Decision> copied() throws IOException {
    Path other = Files.createTempDirectory(folder, "copy");
    Files.copy(copy, other.resolve(DecisionStore.COPY));
    try (Database restored = opened(other)) {
      return List.copyOf(new DecisionStore(restored).read().settled());
    }
  }

  @Test
  void theLastDecisionOnAFindingCounts() {
    assertEquals(List.of(), settled());
    assertEquals(0, store.version());
    assertFalse(Files.exists(copy));
    store.add(
        List.of(
            decision("dup-3f9a01c2d4", Outcome.DISMISSED),
            decision("link-0000000000-2", Outcome.DONE)));
    store.add(List.of(decision("dup-3f9a01c2d4", Outcome.OPEN)));
    assertEquals(List.of("link-0000000000-2 DONE"), settled());
    store.add(List.of(decision("dup-3f9a01c2d4", Outcome.DONE)));
    reopen();
    assertEquals(List.of("link-0000000000-2 DONE", "dup-3f9a01c2d4 DONE"), settled());
    assertEquals(ABOUT, store.read().on("dup-3f9a01c2d4").orElseThrow().about());
    assertEquals(4, store.version());
  }

  @Test
  void decisionsAreKeptAsTheyAreButLongTextsAreCut() throws IOException {
    String text = "x".repeat(DecisionStore.MAX_TEXT);
    Decision fits = new Decision(id(2), Outcome.DONE, AT, text, By.AGENT, text);
    store.add(
        List.of(new Decision(id(1), Outcome.DONE, AT, text + "y", By.PERSON, text + "z"), fits));
    reopen();
    assertEquals(2, all().size());
    assertEquals(fits, all().getLast());
    for (Decision decision : all()) {
      assertEquals(text.length(), decision.about().length());
      assertEquals(text.length(), decision.reason().length());
      assertTrue(decision.about().startsWith("x".repeat(DecisionStore.MAX_TEXT - 1)));
    }
    assertEquals(all(), copied());
  }

  /** A text that is cut between two surrogates would change when it is stored. */
  @Test
  void halfACharacterDamagesNothing() throws IOException {
    String text = "x".repeat(DecisionStore.MAX_TEXT - 1) + "\uD83D\uDE00";
    for (String reason : List.of(text, "\uD800 half", "half \uDE00")) {
      store.add(List.of(new Decision(id(1), Outcome.DONE, AT, text, By.PERSON, reason)));
      assertTrue(all().getFirst().about().startsWith("x".repeat(DecisionStore.MAX_TEXT - 1)));
      assertEquals(all(), copied());
    }
    assertEquals(List.of(), warnings);
  }

  @Test
  void theCopyIsAlwaysEqualToTheDatabase() throws IOException {
    for (int i = 0; i < 10; i++) {
      List<Decision> some = new ArrayList<>();
      for (int n = 0; n <= i % 3; n++) {
        some.add(decision(id(100 * i + n), Outcome.values()[(i + n) % 2]));
      }
      store.add(some);
      assertEquals(all(), copied());
    }
    JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(copy));
    assertEquals(store.version(), json.size());
    assertEquals("dismissed", json.get(0).path("decision").asText());
    assertEquals("person", json.get(0).path("by").asText());
    assertEquals("rw-------", OnDisk.mode(copy));
  }

  @Test
  void aLostDatabaseIsRestoredFromTheCopy() throws IOException {
    for (int i = 0; i < 5; i++) {
      add(i);
    }
    List<String> before = settled();
    Files.delete(folder.resolve(TestDatabase.NAME));
    assertEquals(before, settled(), "under an open connection");
    assertEquals(List.of(), warnings);
    add(5);
    assertEquals(6, settled().size());
    database.close();
    Files.write(folder.resolve(TestDatabase.NAME), "x".repeat(5000).getBytes());
    open();
    assertEquals(6, settled().size());
    assertEquals(1, warnings.size());
    add(6);
    assertEquals(7, copied().size());
  }

  /** Earlier versions stored opinions of agents beside decisions. */
  @Test
  void opinionsInACopyAreLeftOut() throws IOException {
    for (int i = 0; i < 3; i++) {
      add(i);
    }
    database.close();
    Files.delete(folder.resolve(TestDatabase.NAME));
    Path copy = folder.resolve(DecisionStore.COPY);
    Files.writeString(
        copy, Files.readString(copy).replaceFirst("\"dismissed\"|\"done\"", "\"overtaken\""));
    open();
    assertEquals(2, settled().size());
    assertEquals(List.of(), warnings);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE decision SET verdict = 'done' WHERE number = 2",
        "UPDATE decision SET verdict = 'eaten' WHERE number = 2",
        "UPDATE decision SET id = '../../etc' WHERE number = 2",
        "UPDATE decision SET at = 'yesterday' WHERE number = 2",
        "UPDATE decision SET by = 'cat' WHERE number = 2",
        "UPDATE decision SET about = x'ff' WHERE number = 2",
        "UPDATE decision SET checksum = 0 WHERE number = 2",
        "UPDATE decision SET number = 9 WHERE number = 1",
        "DELETE FROM decision WHERE number = 2",
        "DELETE FROM decision WHERE number = 3",
        "DELETE FROM decision",
        "DELETE FROM sqlite_sequence",
        "DROP TABLE decision",
      })
  void aDamagedTableIsRestoredFromTheCopy(String damage) throws IOException {
    store.add(
        List.of(
            decision(id(1), Outcome.DONE),
            decision(id(2), Outcome.DISMISSED),
            decision(id(3), Outcome.DONE)));
    List<String> before = settled();
    TestDatabase.change(database, damage);
    assertEquals(before, settled());
    assertEquals(1, warnings.size());
    add(4);
    assertEquals(4, settled().size());
    assertEquals(4, copied().size());
  }

  @Test
  void aDamagedTableIsFoundBeforeTheCopyIsWritten() throws IOException {
    add(1);
    add(2);
    TestDatabase.change(database, "DELETE FROM decision WHERE number = 1");
    add(3);
    assertEquals(3, settled().size());
    assertEquals(3, copied().size());
    assertEquals(1, warnings.size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[",
        "{\"at\":",
        "\u0000\u0001",
        "[{\"at\":\"2026-03-14T09:30:00Z\",\"id\":\"../../etc\",\"decision\":\"done\","
            + "\"by\":\"person\"}]",
        "[{\"at\":\"yesterday\",\"id\":\"dup-3f9a01c2d4\",\"decision\":\"done\","
            + "\"by\":\"person\"}]",
        "[{\"at\":\"2026-03-14T09:30:00Z\",\"id\":\"dup-3f9a01c2d4\",\"decision\":\"eaten\","
            + "\"by\":\"person\"}]",
        "[1]",
        "[[]]",
        "null",
        "7",
        "{}"
      })
  void aDamagedCopyIsAnErrorInWordsAndStays(String content) throws IOException {
    Files.writeString(copy, content);
    for (int i = 0; i < 2; i++) {
      String said = assertThrows(StoreException.class, this::settled).getMessage();
      assertTrue(said.contains("the copy of your decisions is damaged: " + copy), said);
      assertTrue(said.contains("Move it away"), said);
      assertThrows(StoreException.class, () -> add(1));
    }
    assertEquals(content, Files.readString(copy));
    assertEquals(List.of(), warnings);
    Files.delete(copy);
    add(1);
    assertEquals(1, settled().size());
  }

  /** The database contains all decisions, so the copy can be written from it. */
  @Test
  void aLostOrDamagedCopyIsWrittenAgainWithTheNextDecision() throws IOException {
    add(1);
    Files.delete(copy);
    add(2);
    assertEquals(2, copied().size());
    Files.writeString(copy, "[");
    add(3);
    assertEquals(3, copied().size());
  }

  @Test
  void aCopyThatCannotBeWrittenIsAnErrorAndNothingIsDecided() throws IOException {
    add(1);
    Files.delete(copy);
    Files.createDirectories(copy.resolve("folder"));
    String said = assertThrows(StoreException.class, () -> add(2)).getMessage();
    assertTrue(said.startsWith("cannot use the database " + database.file()), said);
    assertTrue(said.contains(copy.toString()), said);
    assertEquals(List.of(id(1) + " DONE"), settled());
    Files.delete(copy.resolve("folder"));
    Files.delete(copy);
    add(2);
    assertEquals(2, copied().size());
  }

  /** Reading a pipe would block. */
  @Test
  void aCopyThatIsNoRegularFileIsAnError() throws Exception {
    assertEquals(0, new ProcessBuilder("mkfifo", copy.toString()).start().waitFor());
    String said = assertThrows(StoreException.class, this::settled).getMessage();
    assertTrue(said.contains("it is no regular file"), said);
    assertTrue(said.contains(copy.toString()), said);
  }

  @Test
  void manyWritersLoseNothing() throws Exception {
    List<Future<?>> writing = new ArrayList<>();
    try (ExecutorService writers = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 8; i++) {
        int writer = i;
        writing.add(writers.submit(() -> write(writer)));
      }
    }
    for (Future<?> one : writing) {
      one.get();
    }
    assertEquals(200, all().size());
    assertEquals(200, store.version());
    assertEquals(200, copied().size());
    assertEquals(List.of(), warnings);
  }

  /** Adds 25 decisions. Every second writer opens its own database, as another process would. */
  private void write(int writer) {
    try (Database own = opened(folder)) {
      DecisionStore mine = writer % 2 == 0 ? store : new DecisionStore(own);
      for (int n = 0; n < 25; n++) {
        mine.add(List.of(decision(id(writer * 1000 + n), Outcome.DONE)));
      }
    }
  }

  /** If such a decision were stored, the database would later count as damaged. */
  @ParameterizedTest
  @ValueSource(strings = {"", "rel", "rel-123", "rel-012345678G", "Rel-0123456789", "0123456789"})
  void aDecisionHasTheIdOfAFinding(String wrong) {
    assertFalse(Decision.isId(wrong));
    assertThrows(IllegalArgumentException.class, () -> decision(wrong, Outcome.DONE));
  }

  @Test
  void everyKindOfFindingCanBeDecidedAlsoOneOfAnotherVersion() throws IOException {
    List<String> ids = List.of("misfiled-0123456789", "misfiled-0123456789-12", "later-0123456789");
    store.add(ids.stream().map(id -> decision(id, Outcome.DONE)).toList());
    assertEquals(ids, copied().stream().map(Decision::id).toList());
    assertEquals(all(), copied());
    assertEquals(List.of(), warnings);
  }
}
