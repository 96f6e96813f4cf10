package dev.helixbg.insight.review;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.review.Review.Item;
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
   * @param asking puts a question to the language model; empty: none is there
   * @throws InterruptedException when interrupted while the model is asked
   */
  public static Review of(
      ReviewSubject kb, Optional<Review> last, Instant at, Optional<QuestionSession> asking)
      throws InterruptedException {
    List<NamedEntry> all = kb.entries().all();
    List<String> keys = all.stream().map(NamedEntry::key).toList();
    List<NamedEntry> fresh = fresh(keys, last).stream().map(all::get).toList();
    List<Item> items = items(kb, Set.copyOf(fresh));
    List<String> marks = marks(keys);
    String summary = summary(fresh, items);
    Review review =
        kb.review(
            at, summary, items, marks.subList(Math.max(0, marks.size() - MARKS), marks.size()));
    return asking.isPresent() && !fresh.isEmpty()
        ? review.saying(sentence(asking.get(), fresh))
        : review;
  }

  /** Each a fresh entry and an older one, or an earlier fresh one. */
  private static List<Item> items(ReviewSubject kb, Set<NamedEntry> fresh) {
    List<Item> items = copies(kb, fresh);
    for (ReviewSubject.Pair pair : kb.pairs()) {
      if (fresh.contains(pair.b()) && items.size() < MAX_ITEMS) {
        relation(pair, kb.limits()).ifPresent(relation -> items.add(pair.item(relation.words)));
      }
    }
    return items;
  }

  /** Fresh entries that say word for word what an earlier entry says. */
  private static List<Item> copies(ReviewSubject kb, Set<NamedEntry> fresh) {
    List<Item> items = new ArrayList<>();
    for (ReportedFinding group : kb.in("copies")) {
      List<NamedEntry> entries = kb.entries().allOf(group.keys());
      for (NamedEntry copy : entries) {
        if (copy != entries.getFirst() && fresh.contains(copy) && items.size() < MAX_ITEMS) {
          items.add(
              new Item(
                  group.id(),
                  Relation.REPEATS.words,
                  Review.Named.of(copy),
                  Review.Named.of(entries.getFirst()),
                  1,
                  "",
                  ReviewSubject.excerpt(copy)));
        }
      }
    }
    return items;
  }

  /** Empty for a pair that has nothing in common, or nothing near. */
  private static Optional<Relation> relation(ReviewSubject.Pair pair, InsightSettings limits) {
    ReportedFinding finding = pair.finding();
    if (finding.verdict().isPresent()) {
      return switch (finding.verdict().get()) {
        case SAME -> Optional.of(Relation.REPEATS);
        case OVERTAKEN ->
            Optional.of(finding.isContradiction() ? Relation.CONTRADICTS : Relation.OVERTAKES);
        case RELATED -> Optional.of(connects(pair));
        case DIFFERENT -> Optional.empty();
      };
    }
    if (finding.nearest() <= limits.crossLinkFrom()) {
      return Optional.empty();
    }
    return Optional.of(
        finding.similarity() > limits.nearDuplicate()
            ? Relation.REPEATS
            : finding.nearest() > limits.nearDuplicate()
                ? Relation.REPEATS_PASSAGE
                : connects(pair));
  }

  private static Relation connects(ReviewSubject.Pair pair) {
    return pair.finding().topics().size() == 1 ? Relation.IS_CLOSE : Relation.CONNECTS;
  }

  private static String summary(List<NamedEntry> fresh, List<Item> items) {
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
    return words.toString();
  }

  /** What the language model makes of it; empty where there is no answer. */
  private static String sentence(QuestionSession asking, List<NamedEntry> fresh)
      throws InterruptedException {
    Question question = question(fresh);
    asking.ask(List.of(question));
    return asking.find(question).map(Answer::text).orElse("");
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
