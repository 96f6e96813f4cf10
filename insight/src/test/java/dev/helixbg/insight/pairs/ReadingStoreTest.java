package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.judge.StoreFixture;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadingStoreTest extends StoreFixture {
  private static final Reading READING =
      new Reading(new float[] {1.5f, -0.1f, Float.MIN_VALUE, -1e30f}, true, false);

  private ReadingStore readings;

  @BeforeEach
  void openReadings() {
    readings = new ReadingStore(database, "judge");
  }

  private static void assertReading(Reading found) {
    assertArrayEquals(READING.logits(), found.logits());
    assertTrue(found.olderWhole());
    assertFalse(found.newerWhole());
  }

  @Test
  void readingsAreFoundByKeyAndJudge() {
    readings.add(Map.of("a", READING, "b", new Reading(new float[4], false, true)));
    readings.add(Map.of());
    Map<String, Reading> found = readings.find(Set.of("a", "c"));
    assertEquals(Set.of("a"), found.keySet());
    assertReading(found.get("a"));
    assertTrue(readings.find(Set.of("b")).get("b").newerWhole());
    assertEquals(Map.of(), readings.find(Set.of()));
    assertEquals(Map.of(), new ReadingStore(database, "other judge").find(Set.of("a", "b")));
  }

  @Test
  void theLastReadingOfAPairCounts() {
    readings.add(Map.of("a", new Reading(new float[4], false, true)));
    readings.add(Map.of("a", READING));
    assertReading(readings.find(Set.of("a")).get("a"));
    assertEquals(1, TestDatabase.rows(database, "reading"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "checksum = checksum + 1",
        "logits = x''",
        "logits = logits || x'00000000'",
        "logits = substr(logits, 1, 15)",
        "logits = x'7f800000' || substr(logits, 5)",
        "logits = 7",
        "olderWhole = 0",
        "newerWhole = 1",
        "key = 'c'",
        "model = 'other'"
      })
  void aDamagedReadingIsNone(String damage) {
    readings.add(Map.of("a", READING, "b", READING));
    TestDatabase.change(database, "UPDATE reading SET " + damage + " WHERE key = 'a'");
    assertEquals(Set.of("b"), readings.find(Set.of("a", "b", "c")).keySet());
    assertEquals(
        Set.of(), new ReadingStore(database, "other").find(Set.of("a", "b", "c")).keySet());
    readings.add(Map.of("a", READING));
    assertReading(readings.find(Set.of("a")).get("a"));
  }

  @Test
  void readingsOfOtherPairsAndOfAnotherJudgeAreStale() {
    Map<String, Reading> many = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      many.put("key" + i, READING);
    }
    readings.add(many);
    ReadingStore next = new ReadingStore(database, "next judge");
    next.add(Map.of("key7", READING, "key8", READING));
    next.forgetStale(Set.of("key7"));
    assertEquals(1, TestDatabase.rows(database, "reading"));
    assertEquals(Set.of("key7"), next.find(many.keySet()).keySet());
  }
}
