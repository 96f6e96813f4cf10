package dev.helixbg.insight.review;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.review.Review.Item;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionStoreTest {
  @TempDir(factory = InMemory.class)
  Path folder;

  private Database database;
  private SessionStore store;

  @BeforeEach
  void open() {
    database = TestDatabase.in(folder, SessionStore.TABLE);
    store = new SessionStore(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static Review review(String summary, Optional<String> judge) {
    return new Review(
        Instant.parse("2026-03-14T09:30:00.123Z"),
        "ab".repeat(32),
        judge,
        summary,
        List.of(
            new Item(
                "rel-3f9a01c2d4",
                "repeats",
                named("a:1"),
                named("a:0"),
                0.812345,
                "same",
                "é \uD83D\uDE00"),
            new Item("", "is close to", named("b:1"), named(""), 0, "", "")),
        List.of("%032x:1".formatted(1), "%032x:2".formatted(1)));
  }

  @Test
  void theLastReviewIsKept() {
    assertEquals(Optional.empty(), store.read());
    assertEquals(0, store.version());
    Review first = review("One new entry.", Optional.of("Qwen3"));
    store.keep(first);
    assertEquals(Optional.of(first), store.read());
    Review second = review("Nothing new was written.", Optional.empty());
    store.keep(second);
    database.close();
    database = TestDatabase.in(folder, SessionStore.TABLE);
    store = new SessionStore(database);
    assertEquals(Optional.of(second), store.read());
    assertEquals(1, TestDatabase.rows(database, "session"), "there is one row");
    assertEquals(2, store.version());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "checksum = checksum + 1",
        "review = review || ' '",
        "review = substr(review, 1, 20)",
        "review = ''",
        "review = x'ff'"
      })
  void aDamagedReviewIsNone(String damage) {
    store.keep(review("One new entry.", Optional.empty()));
    TestDatabase.change(database, "UPDATE session SET " + damage);
    assertEquals(Optional.empty(), store.read());
    Review next = review("Two new entries.", Optional.empty());
    store.keep(next);
    assertEquals(Optional.of(next), store.read());
  }

  /** A checksum is no secret. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "{", "null", "[]", "{}", "{\"kind\":\"flood\"}", "{\"kind\":\"session\"}"})
  void aReviewOfAnotherFormIsNone(String json) {
    store.keep(review("One new entry.", Optional.empty()));
    TestDatabase.change(
        database,
        "UPDATE session SET review = '%s', checksum = %d".formatted(json, Database.checksum(json)));
    assertEquals(Optional.empty(), store.read());
  }

  @Test
  void aReviewThatCannotBeKeptIsAnError() {
    database.close();
    Review review = review("One new entry.", Optional.empty());
    assertTrue(
        assertThrows(StoreException.class, () -> store.keep(review))
            .getMessage()
            .contains("kb.db"));
  }

  private static Review.Named named(String name) {
    return new Review.Named("Title of " + name, name);
  }
}
