package dev.helixbg.insight.review;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.ClosePairs.Close;
import dev.helixbg.insight.review.Review.Item;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Entries that newer ones may have overtaken: candidates are close pairs of which one is at least a
 * day older, the older and closer the likelier; a model says whether the newer one contradicts or
 * supersedes the older.
 */
public final class StaleReview {
  private static final int MINUTES_OF_A_DAY = 24 * 60;
  private static final int CANDIDATES = 200;
  private static final int MAX_ITEMS = 20;

  /** What a doubling of the age difference weighs, in cosine. */
  private static final double AGE_WEIGHT = 0.01;

  private static final String COMPARE =
      "You compare an older entry of a software developer's knowledge base with a newer one.\n"
          + "valid: the older entry still holds beside the newer one\n"
          + "superseded: the newer entry says all of it, or says it better\n"
          + "contradicted: the newer entry says that it is no longer so\n"
          + "Answer with one word.";
  private static final List<String> ANSWERS = List.of("valid", "superseded", "contradicted");

  private StaleReview() {}

  /**
   * @param topic whose entries are looked at; empty: all
   * @param oracle asked when there is one
   * @throws java.util.concurrent.CancellationException when cancelled while the model was asked
   */
  public static Review of(
      KbEntries kb,
      Optional<String> topic,
      InsightSettings settings,
      int threads,
      Optional<Oracle> oracle,
      Instant at,
      BooleanSupplier cancelled) {
    List<String> names = kb.names();
    List<Item> items = new ArrayList<>();
    for (Close pair : candidates(kb, topic, (float) settings.crossLinkFrom(), threads)) {
      boolean aIsOlder = minutes(kb, pair.a()) < minutes(kb, pair.b());
      int older = aIsOlder ? pair.a() : pair.b();
      int newer = aIsOlder ? pair.b() : pair.a();
      String verdict = oracle.map(model -> judge(model, kb, older, newer, cancelled)).orElse("");
      if (!verdict.equals("valid")) {
        items.add(
            new Item(
                verdict.isEmpty() ? "may be overtaken by" : "is " + verdict + " by",
                names.get(older),
                names.get(newer),
                pair.similarity(),
                verdict,
                kb.excerpt(older)));
      }
    }
    String about = topic.map(name -> " in " + name).orElse("");
    String summary =
        items.isEmpty()
            ? "No entry%s seems to be overtaken by a newer one.".formatted(about)
            : "%d %s%s may be stale: newer ones are about the same."
                .formatted(items.size(), items.size() == 1 ? "entry" : "entries", about);
    return new Review(
        Review.Kind.STALE,
        topic,
        at,
        kb.log().sha256(),
        oracle.map(Oracle::name),
        summary + (oracle.isEmpty() && !items.isEmpty() ? Review.NOT_JUDGED : ""),
        List.copyOf(items),
        List.of());
  }

  private static int minutes(KbEntries kb, int index) {
    return kb.entries().get(index).timestampMin();
  }

  private static List<Close> candidates(
      KbEntries kb, Optional<String> topic, float limit, int threads) {
    ClosePairs best = new ClosePairs(CANDIDATES, (a, b) -> counts(kb, topic, a, b));
    try (PackedVectors packed = PackedVectors.pack(kb.vectors())) {
      AllPairs.among(
              packed,
              limit,
              threads,
              () -> new ClosePairs(CANDIDATES, (a, b) -> counts(kb, topic, a, b)))
          .forEach(best::addAll);
    }
    return best.bestFirst().stream()
        .sorted(
            Comparator.comparingDouble((Close pair) -> -weight(kb, pair))
                .thenComparing(Close.BEST_FIRST))
        .limit(MAX_ITEMS)
        .toList();
  }

  private static boolean counts(KbEntries kb, Optional<String> topic, int a, int b) {
    Entry first = kb.entries().get(a);
    Entry second = kb.entries().get(b);
    return first.timestampMin() != 0
        && second.timestampMin() != 0
        && days(kb, a, b) >= 1
        && (topic.isEmpty()
            || topic.get().equals(first.topic())
            || topic.get().equals(second.topic()));
  }

  private static double days(KbEntries kb, int a, int b) {
    return Math.abs((double) minutes(kb, a) - minutes(kb, b)) / MINUTES_OF_A_DAY;
  }

  private static double weight(KbEntries kb, Close pair) {
    return pair.similarity() + AGE_WEIGHT * Math.log(days(kb, pair.a(), pair.b())) / Math.log(2);
  }

  private static String judge(
      Oracle model, KbEntries kb, int older, int newer, BooleanSupplier cancelled) {
    String user = "Older: " + kb.text(older) + "\nNewer: " + kb.text(newer);
    return ANSWERS.get(model.choose(COMPARE, user, ANSWERS, cancelled));
  }
}
