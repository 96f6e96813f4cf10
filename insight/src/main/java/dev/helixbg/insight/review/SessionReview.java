package dev.helixbg.insight.review;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.review.Review.Item;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a session of writing brought: which topics grew, and, of the relations of new entries to
 * older ones, what repeats, connects to, contradicts or overtakes what was there.
 */
public final class SessionReview {
  /** By so many of the last entries the next review finds where this one ended. */
  private static final int MARKS = 64;

  /** Looked at when nothing tells where the last session ended. */
  private static final int FIRST_SESSION = 50;

  /** What a new entry is to another one, in the order of the summary. */
  private enum Relation {
    REPEATS("repeats"),
    REPEATS_PASSAGE("repeats a passage of"),
    CONNECTS("connects to"),
    IS_CLOSE("is close to"),
    CONTRADICTS("contradicts"),
    OVERTAKES("overtakes");

    /** Between the names of the two. */
    private final String words;

    Relation(String words) {
      this.words = words;
    }
  }

  private static final int MAX_ITEMS = 20;
  private static final int JUDGED = 10;

  /** Topics that a summary names, and characters of such a name. */
  private static final int NAMED = 20;

  private static final int NAME = 100;

  /** Characters of the entries that are summarised. */
  private static final int MAX_SUMMARISED = 6_000;

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
    int[] ordinals = NamedEntry.ordinals(keys);
    return IntStream.range(0, ordinals.length)
        .mapToObj(i -> keys.get(i) + ":" + (ordinals[i] + 1))
        .toList();
  }

  /**
   * @param last the last review of a session
   * @throws InterruptedException when interrupted; all answers until then are saved
   * @throws IOException when answers cannot be read or saved
   */
  public static Review of(ReviewSubject kb, Optional<Review> last, Instant at)
      throws InterruptedException, IOException {
    List<String> keys = kb.keys();
    List<NamedEntry> fresh = fresh(keys, last).stream().map(kb.found().entries()::get).toList();
    List<Item> items = items(kb, fresh);
    List<String> marks = marks(keys);
    return kb.review(
        Review.Kind.SESSION,
        Optional.empty(),
        at,
        summary(kb, fresh, items),
        items,
        marks.subList(Math.max(0, marks.size() - MARKS), marks.size()));
  }

  /** Each a fresh entry and an older one, or an earlier fresh one. */
  private static List<Item> items(ReviewSubject kb, List<NamedEntry> fresh)
      throws InterruptedException, IOException {
    Set<NamedEntry> isFresh = new HashSet<>(fresh);
    List<Finding.Relation> pairs =
        kb.found().relations().stream().filter(pair -> isFresh.contains(pair.b())).toList();
    Map<String, PairVerdict> verdicts = kb.verdicts(pairs, JUDGED);
    List<Item> items = copies(kb, isFresh);
    for (Finding.Relation pair : pairs) {
      PairVerdict verdict = verdicts.get(pair.id());
      Optional<Relation> relation =
          verdict == null ? unjudged(pair, kb.found().limits()) : judged(pair, verdict);
      if (relation.isPresent() && items.size() < MAX_ITEMS) {
        String word = verdict == null ? "" : verdict.verdict().title();
        items.add(kb.item(pair, pair.b(), relation.get().words, word));
      }
    }
    return items;
  }

  /** Fresh entries that say word for word what an earlier entry says. */
  private static List<Item> copies(ReviewSubject kb, Set<NamedEntry> fresh) {
    List<Item> items = new ArrayList<>();
    for (Finding.Copies group : kb.found().copies()) {
      NamedEntry first = group.entries().getFirst();
      for (NamedEntry copy : group.entries()) {
        if (copy != first && fresh.contains(copy) && items.size() < MAX_ITEMS) {
          items.add(
              new Item(
                  group.id(),
                  Relation.REPEATS.words,
                  copy.name(),
                  first.name(),
                  1,
                  "",
                  ReviewSubject.excerpt(copy)));
        }
      }
    }
    return items;
  }

  private static Optional<Relation> unjudged(Finding.Relation pair, InsightSettings limits) {
    if (pair.nearest() <= limits.crossLinkFrom()) {
      return Optional.empty();
    }
    return Optional.of(
        pair.similarity() > limits.nearDuplicate()
            ? Relation.REPEATS
            : pair.nearest() > limits.nearDuplicate() ? Relation.REPEATS_PASSAGE : connects(pair));
  }

  /** Nothing of what has nothing in common. */
  private static Optional<Relation> judged(Finding.Relation pair, PairVerdict verdict) {
    return switch (verdict.verdict()) {
      case SAME -> Optional.of(Relation.REPEATS);
      case OVERTAKEN ->
          Optional.of(verdict.contradiction() ? Relation.CONTRADICTS : Relation.OVERTAKES);
      case RELATED -> Optional.of(connects(pair));
      case DIFFERENT -> Optional.empty();
    };
  }

  private static Relation connects(Finding.Relation pair) {
    return pair.a().entry().topic().equals(pair.b().entry().topic())
        ? Relation.IS_CLOSE
        : Relation.CONNECTS;
  }

  private static String summary(ReviewSubject kb, List<NamedEntry> fresh, List<Item> items)
      throws InterruptedException, IOException {
    if (fresh.isEmpty()) {
      return "Nothing new was written.";
    }
    Map<String, Long> topics =
        fresh.stream()
            .collect(
                Collectors.groupingBy(
                    one -> one.entry().topic(), TreeMap::new, Collectors.counting()));
    StringBuilder words = new StringBuilder();
    words
        .append(fresh.size())
        .append(fresh.size() == 1 ? " new entry in " : " new entries in ")
        .append(
            topics.entrySet().stream()
                .limit(NAMED)
                .map(
                    topic ->
                        QuotedName.of(PrintableText.beginning(topic.getKey(), NAME))
                            + " ("
                            + topic.getValue()
                            + ")")
                .collect(Collectors.joining(", ")))
        .append(
            topics.size() > NAMED ? " and %d more topics.".formatted(topics.size() - NAMED) : ".");
    for (Relation relation : Relation.values()) {
      long count = items.stream().filter(item -> item.relation().equals(relation.words)).count();
      if (count > 0) {
        words.append(' ').append(count).append(count == 1 ? " time" : " times");
        words.append(" a new entry ").append(relation.words).append(" another.");
      }
    }
    return words + kb.caveat() + sentence(kb, fresh);
  }

  /** What the judge makes of it, with a blank before; empty where there is no answer. */
  private static String sentence(ReviewSubject kb, List<NamedEntry> fresh)
      throws InterruptedException, IOException {
    if (kb.judge().isEmpty()) {
      return "";
    }
    Question question = question(fresh);
    kb.judge().get().asking().ask(List.of(question));
    return kb.judge().get().asking().find(question).map(answer -> " " + answer.text()).orElse("");
  }

  /** About the newest entries, as many as are soon read. */
  private static Question question(List<NamedEntry> fresh) {
    List<String> topics = new ArrayList<>();
    List<String> contents = new ArrayList<>();
    int length = 0;
    for (int i = fresh.size() - 1; i >= 0 && length < MAX_SUMMARISED; i--) {
      topics.add(fresh.get(i).entry().topic());
      contents.add(fresh.get(i).entry().text().content());
      length += contents.getLast().length();
    }
    Collections.reverse(topics);
    Collections.reverse(contents);
    return new Question.Session(topics, contents);
  }
}
