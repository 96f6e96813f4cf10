package dev.helixbg.insight.review;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews on vectors chosen by the test, with and without somebody to ask. */
class ReviewTest {
  private static final InsightSettings SETTINGS =
      new InsightSettings(0.6, 0.92, 20, 0.75, 50, 0.15, 20);
  private static final LogAccount LOG = new LogAccount(0, "ab".repeat(32), 0, 0, 0, List.of());
  private static final int DAY = 24 * 60;
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");
  private static final BooleanSupplier GO_ON = () -> false;

  @TempDir Path insights;

  private final List<Entry> entries = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final List<Float> values = new ArrayList<>();

  /** An entry at an angle, in degrees: the cosine of the difference is the similarity. */
  private void add(String topic, String text, int minutes, double degrees) {
    entries.add(new Entry(8 + entries.size(), topic, text, minutes, EntryText.parse(text)));
    keys.add(UUID.nameUUIDFromBytes((topic + text).getBytes()).toString().replace("-", ""));
    values.add((float) Math.cos(Math.toRadians(degrees)));
    values.add((float) Math.sin(Math.toRadians(degrees)));
  }

  private KbEntries kb() {
    float[] all = new float[values.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = values.get(i);
    }
    return new KbEntries(
        List.copyOf(entries),
        List.copyOf(keys),
        new Vectors(entries.size(), 2, all),
        PassageVectors.NONE,
        LOG);
  }

  /** Gives the same answer to everything, and counts how often it was asked. */
  private static final class Parrot implements Oracle {
    private final int choice;
    private int asked;

    Parrot(int choice) {
      this.choice = choice;
    }

    @Override
    public String name() {
      return "parrot";
    }

    @Override
    public int choose(String system, String user, List<String> choices, BooleanSupplier cancelled) {
      if (cancelled.getAsBoolean()) {
        throw new CancellationException();
      }
      asked++;
      return choice;
    }

    @Override
    public String write(
        String system,
        String user,
        int maxTokens,
        Consumer<String> listener,
        BooleanSupplier cancelled) {
      asked++;
      return "All about " + user.lines().count() + " lines.";
    }
  }

  private Review session(Optional<Review> last, Optional<Oracle> oracle) {
    return SessionReview.of(kb(), last, SETTINGS, oracle, AT, GO_ON);
  }

  @Test
  void aSessionTellsWhatIsNewRepeatedConnectedAndContradicted() {
    add("a", "one", 0, 0);
    add("b", "two", 0, 90);
    Review first = session(Optional.empty(), Optional.empty());
    add("a", "again", 0, 1); // repeats a:0
    add("b", "near", 0, 30); // connects to a:0
    add("c", "far", 0, 200);
    Review next = session(Optional.of(first), Optional.empty());
    assertTrue(next.summary().startsWith("3 new entries in a (1), b (1), c (1)."), next.summary());
    assertTrue(next.summary().endsWith(Review.NOT_JUDGED), next.summary());
    assertEquals(Optional.empty(), next.judge());
    assertEquals("a:1 repeats a:0", said(next, 0));
    assertEquals("b:1 connects to a:1", said(next, 1));
    assertEquals("b:1 connects to a:0", said(next, 2));
    Review judged = session(Optional.of(first), Optional.of(new Parrot(1)));
    assertEquals("a:1 contradicts a:0", said(judged, 0));
    assertTrue(judged.summary().endsWith("All about 6 lines."), judged.summary());
    assertEquals(Optional.of("parrot"), judged.judge());
    assertEquals(0, SessionReview.fresh(keys, Optional.of(next)).size());
  }

  private static String said(Review review, int item) {
    Review.Item i = review.items().get(item);
    return i.a() + " " + i.relation() + " " + i.b();
  }

  @Test
  void aRepetitionIsNewAndDeletionsDoNotMakeOldEntriesNew() {
    add("a", "one", 0, 0);
    add("a", "two", 0, 90);
    add("a", "three", 0, 180);
    Review first = session(Optional.empty(), Optional.empty());
    List<String> later = new ArrayList<>(keys);
    later.remove(2);
    assertEquals(List.of(), SessionReview.fresh(later, Optional.of(first)));
    later.add(keys.get(0));
    assertEquals(List.of(2), SessionReview.fresh(later, Optional.of(first)));
  }

  @Test
  void driftNamesTopicsThatOverlapAndWhichAreNew() {
    add("auth", "login", 0, 0);
    add("login", "auth", 0, 20);
    add("ops", "disk", 0, 120);
    Review first = DriftReview.of(kb(), Optional.empty(), SETTINGS, 1, Optional.empty(), AT, GO_ON);
    assertEquals("auth now overlaps login", said(first, 0));
    assertEquals(1, first.items().size());
    assertEquals("closest: auth:0 and login:0", first.items().getFirst().text());
    Review second =
        DriftReview.of(
            kb(), Optional.of(first), SETTINGS, 1, Optional.of(new Parrot(0)), AT, GO_ON);
    assertEquals("auth overlaps login", said(second, 0));
    assertEquals("same", second.items().getFirst().verdict());
  }

  @Test
  void staleAreOlderEntriesOfClosePairsUnlessTheModelSaysTheyHold() {
    add("a", "old", 10 * DAY, 0);
    add("a", "new", 40 * DAY, 10);
    add("b", "same day", 40 * DAY + 60, 12);
    add("b", "undated", 0, 11);
    Review review =
        StaleReview.of(kb(), Optional.empty(), SETTINGS, 1, Optional.empty(), AT, GO_ON);
    assertEquals(2, review.items().size(), review.toString());
    assertEquals("a:0 may be overtaken by a:1", said(review, 0));
    assertEquals("a:0 may be overtaken by b:0", said(review, 1));
    assertEquals(
        0,
        StaleReview.of(kb(), Optional.empty(), SETTINGS, 1, Optional.of(new Parrot(0)), AT, GO_ON)
            .items()
            .size());
    Review only =
        StaleReview.of(kb(), Optional.of("b"), SETTINGS, 1, Optional.of(new Parrot(2)), AT, GO_ON);
    assertEquals("a:0 is contradicted by b:0", said(only, 0));
    assertEquals(1, only.items().size());
  }

  @Test
  void whatWasInterruptedGoesOnWithTheAnswersItHas() {
    add("a", "old", 10 * DAY, 0);
    add("a", "new", 40 * DAY, 1);
    add("a", "newer", 80 * DAY, 2);
    Parrot parrot = new Parrot(1);
    RememberingOracle.Memory memory = new RememberingOracle.Memory();
    Optional<Oracle> oracle = Optional.of(new RememberingOracle(parrot, memory));
    assertThrows(
        CancellationException.class,
        () ->
            StaleReview.of(
                kb(), Optional.empty(), SETTINGS, 1, oracle, AT, () -> parrot.asked == 2));
    assertEquals(2, parrot.asked);
    StaleReview.of(kb(), Optional.empty(), SETTINGS, 1, oracle, AT, GO_ON);
    assertEquals(3, parrot.asked, "only what was not answered is asked");
  }

  @Test
  void historyKeepsReviewsAndPassesOverDamage() throws IOException {
    add("a", "one", 0, 0);
    History history = new History(insights);
    assertEquals(List.of(), history.read());
    Review review = session(Optional.empty(), Optional.of(new Parrot(0)));
    history.append(review);
    Files.writeString(insights.resolve(History.NAME), "{\"kind\":\"dri", StandardOpenOption.APPEND);
    history.append(session(Optional.of(review), Optional.empty()));
    assertEquals(2, history.read().size());
    assertEquals(review, history.read().getFirst());
    assertEquals("Nothing new was written.", history.latest().get(Review.Kind.SESSION).summary());
    assertEquals(null, history.latest().get(Review.Kind.STALE));
  }

  @Test
  void anEmptyKbHasNothingToReview() {
    KbEntries nothing =
        new KbEntries(
            List.of(), List.of(), new Vectors(0, 1, new float[0]), PassageVectors.NONE, LOG);
    assertEquals(
        List.of(),
        SessionReview.of(nothing, Optional.empty(), SETTINGS, Optional.empty(), AT, GO_ON).items());
    assertEquals(
        List.of(),
        DriftReview.of(nothing, Optional.empty(), SETTINGS, 1, Optional.empty(), AT, GO_ON)
            .items());
    assertEquals(
        List.of(),
        StaleReview.of(nothing, Optional.empty(), SETTINGS, 1, Optional.empty(), AT, GO_ON)
            .items());
  }
}
