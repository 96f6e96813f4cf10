package dev.helixbg.insight.review;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.insight.review.ClosePairs.Close;
import dev.helixbg.insight.review.Review.Item;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a session of writing brought: which topics grew, what repeats or connects to what was there,
 * and, with a model, what contradicts it.
 */
public final class SessionReview {
  /** By so many of the last entries the next review finds where this one ended. */
  private static final int MARKS = 64;

  /** Looked at when nothing tells where the last session ended. */
  private static final int FIRST_SESSION = 50;

  private static final int MAX_ITEMS = 20;
  private static final int JUDGED = 10;
  private static final int MAX_PROMPT = 6_000;
  private static final int MAX_SENTENCE_TOKENS = 96;
  private static final String SUMMARY =
      "You summarise entries of a software developer's knowledge base. Answer with one sentence.";
  private static final String COMPARE =
      "You compare a newer entry of a software developer's knowledge base with an older one.\n"
          + "agrees: both can be true\n"
          + "contradicts: they cannot both be true\n"
          + "Answer with one word.";
  private static final List<String> ANSWERS = List.of("agrees", "contradicts");

  private SessionReview() {}

  /**
   * Indices of the entries that were written since the last review.
   *
   * @param last the last review of a session
   */
  public static List<Integer> fresh(List<String> keys, Optional<Review> last) {
    Set<String> known = new HashSet<>(last.map(Review::marks).orElse(List.of()));
    List<String> marks = marks(keys);
    int from = keys.size() - 1;
    while (from >= 0 && !known.contains(marks.get(from))) {
      from--;
    }
    int start = from >= 0 ? from + 1 : Math.max(0, keys.size() - FIRST_SESSION);
    return IntStream.range(start, keys.size()).boxed().toList();
  }

  /** Key of each entry with its number among those of the same text: a repetition is new. */
  private static List<String> marks(List<String> keys) {
    Map<String, Integer> seen = HashMap.newHashMap(keys.size());
    return keys.stream().map(key -> key + ":" + seen.merge(key, 1, Integer::sum)).toList();
  }

  /**
   * @param oracle asked when there is one
   * @throws java.util.concurrent.CancellationException when cancelled while the model was asked
   */
  public static Review of(
      KbEntries kb,
      Optional<Review> last,
      InsightSettings settings,
      Optional<Oracle> oracle,
      Instant at,
      BooleanSupplier cancelled) {
    List<Integer> fresh = fresh(kb.keys(), last);
    List<String> names = kb.names();
    List<Item> items = new ArrayList<>();
    for (Close pair : closeToOlder(kb, fresh, (float) settings.crossLinkFrom())) {
      boolean repeats = pair.similarity() > settings.nearDuplicate();
      boolean connects =
          !kb.entries().get(pair.a()).topic().equals(kb.entries().get(pair.b()).topic());
      String verdict =
          items.size() < JUDGED
              ? oracle.map(model -> judge(model, kb, pair, cancelled)).orElse("")
              : "";
      String relation =
          verdict.equals("contradicts")
              ? "contradicts"
              : repeats ? "repeats" : connects ? "connects to" : "is close to";
      items.add(
          new Item(
              relation,
              names.get(pair.a()),
              names.get(pair.b()),
              pair.similarity(),
              verdict,
              kb.excerpt(pair.a())));
    }
    String summary = summary(kb, fresh, items, oracle, cancelled);
    List<String> marks = marks(kb.keys());
    List<String> lastMarks = marks.subList(Math.max(0, marks.size() - MARKS), marks.size());
    return new Review(
        Review.Kind.SESSION,
        Optional.empty(),
        at,
        kb.log().sha256(),
        oracle.map(Oracle::name),
        summary,
        List.copyOf(items),
        List.copyOf(lastMarks));
  }

  /** Each a fresh entry and an older one, or an earlier fresh one. */
  private static List<Close> closeToOlder(KbEntries kb, List<Integer> fresh, float limit) {
    if (fresh.isEmpty()) {
      return List.of();
    }
    int[] rows = fresh.stream().mapToInt(i -> i).toArray();
    try (PackedVectors packed = PackedVectors.pack(kb.vectors());
        PackedVectors packedRows = PackedVectors.pack(kb.vectors().select(rows))) {
      return AllPairs.between(
              packedRows,
              packed,
              limit,
              1,
              () -> new ClosePairs(MAX_ITEMS, (row, other) -> other < rows[row]))
          .getFirst()
          .bestFirst()
          .stream()
          .map(pair -> new Close(rows[pair.a()], pair.b(), pair.similarity()))
          .toList();
    }
  }

  private static String judge(Oracle model, KbEntries kb, Close pair, BooleanSupplier cancelled) {
    String user = "Newer: " + kb.text(pair.a()) + "\nOlder: " + kb.text(pair.b());
    return ANSWERS.get(model.choose(COMPARE, user, ANSWERS, cancelled));
  }

  private static String summary(
      KbEntries kb,
      List<Integer> fresh,
      List<Item> items,
      Optional<Oracle> oracle,
      BooleanSupplier cancelled) {
    if (fresh.isEmpty()) {
      return "Nothing new was written.";
    }
    Map<String, Long> topics =
        fresh.stream()
            .map(i -> kb.entries().get(i).topic())
            .collect(Collectors.groupingBy(t -> t, TreeMap::new, Collectors.counting()));
    StringBuilder words = new StringBuilder();
    words
        .append(fresh.size())
        .append(fresh.size() == 1 ? " new entry in " : " new entries in ")
        .append(
            topics.entrySet().stream()
                .map(topic -> topic.getKey() + " (" + topic.getValue() + ")")
                .collect(Collectors.joining(", ")))
        .append('.');
    for (String relation : List.of("repeats", "connects to", "contradicts")) {
      long count = items.stream().filter(item -> item.relation().equals(relation)).count();
      if (count > 0) {
        words.append(' ').append(count).append(count == 1 ? " time" : " times");
        words.append(" a new entry ").append(relation).append(" another.");
      }
    }
    return words
        + oracle
            .map(
                model ->
                    " "
                        + model.write(
                            SUMMARY,
                            prompt(kb, fresh),
                            MAX_SENTENCE_TOKENS,
                            piece -> {},
                            cancelled))
            .orElse(Review.NOT_JUDGED);
  }

  /** The newest entries that fit. */
  private static String prompt(KbEntries kb, List<Integer> fresh) {
    List<String> parts = new ArrayList<>();
    int length = 0;
    for (int i = fresh.size() - 1; i >= 0 && length < MAX_PROMPT; i--) {
      int index = fresh.get(i);
      String part = "Topic: " + kb.entries().get(index).topic() + "\n" + kb.text(index);
      parts.add(part.substring(0, Math.min(part.length(), MAX_PROMPT - length)));
      length += part.length();
    }
    Collections.reverse(parts);
    return String.join("\n", parts);
  }
}
