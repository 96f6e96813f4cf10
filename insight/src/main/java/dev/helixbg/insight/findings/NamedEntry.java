package dev.helixbg.insight.findings;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * An entry and the name by which users of helix refer to it.
 *
 * @param index position, from 0, among the live entries of the topic, ordered by offset; the
 *     entry's name is {@code topic:index}
 * @param key hash of the text that is embedded, 32 hex digits; a compaction does not change it
 * @param linked whether another entry links to this entry
 */
public record NamedEntry(Entry entry, int index, String key, boolean linked) {

  NamedEntry with(Entry changed) {
    return new NamedEntry(changed, index, key, linked);
  }

  public String topic() {
    return entry.topic();
  }

  public EntryText text() {
    return entry.text();
  }

  /** Returns the body without metadata lines. */
  public String content() {
    return text().content();
  }

  public EntryText.Link link() {
    return new EntryText.Link(topic(), index);
  }

  /** Names all live entries of a log. The entries must be ordered by offset. */
  public static List<NamedEntry> all(List<Entry> entries, Function<Entry, String> key) {
    int[] indices = ordinals(entries.stream().map(Entry::topic).toList());
    Set<EntryText.Link> targets = new HashSet<>();
    for (int i = 0; i < indices.length; i++) {
      EntryText.Link own = new EntryText.Link(entries.get(i).topic(), indices[i]);
      entries.get(i).text().links().stream()
          .filter(link -> !link.equals(own))
          .forEach(targets::add);
    }
    List<NamedEntry> named = new ArrayList<>();
    for (int i = 0; i < indices.length; i++) {
      Entry entry = entries.get(i);
      boolean linked = targets.contains(new EntryText.Link(entry.topic(), indices[i]));
      named.add(new NamedEntry(entry, indices[i], key.apply(entry), linked));
    }
    return named;
  }

  /** Returns, for each name, the number of equal names before it in the list. */
  public static int[] ordinals(List<String> names) {
    Map<String, Integer> seen = HashMap.newHashMap(names.size());
    return names.stream().mapToInt(name -> seen.merge(name, 1, Integer::sum) - 1).toArray();
  }

  /**
   * Whether this entry was written before another entry. {@link FactOrder} decides if it knows the
   * order. Otherwise, the earlier time decides. If the times are equal or a time is unknown, the
   * order in the log decides, because helix only appends to the log.
   */
  public boolean isOlderThan(NamedEntry other) {
    int order = FactOrder.between(entry, other.entry());
    return order != 0
        ? order < 0
        : FactOrder.areDated(entry, other.entry())
            ? entry.timestampMin() < other.entry().timestampMin()
            : entry.offset() < other.entry().offset();
  }

  /**
   * Whether it is known which of two entries was written first. It is known for all entries of
   * helix, which appends to the log. For entries made of notes, {@link FactOrder} must know the
   * order, or the times must differ. If a time is only a date, the dates must differ.
   */
  public boolean isAgeKnown(NamedEntry other) {
    int day = Math.floorDiv(entry.timestampMin(), Entry.DAY);
    boolean sameDay = day == Math.floorDiv(other.entry().timestampMin(), Entry.DAY);
    return entry.note().isEmpty()
        || FactOrder.between(entry, other.entry()) != 0
        || FactOrder.areDated(entry, other.entry())
            && !(sameDay && (entry.isOfADay() || other.entry().isOfADay()));
  }

  /** Returns a hash of the offset. Each entry has a different offset. */
  @Override
  public int hashCode() {
    return Long.hashCode(entry.offset());
  }

  /** Maximum width of a title, in columns of a terminal. */
  private static final int TITLE = 70;

  /** Markdown's sign for a heading, list item or quotation, at the start of a line. */
  private static final Pattern MARK = Pattern.compile("^(?:#{1,6}|[-*>+]|\\d{1,3}[.)])\\s+");

  private static final Pattern AFTER_SENTENCE = Pattern.compile("(?<=[.!?])\\s.*");

  /** Returns a title for people: the heading, else the first sentence, else the name. */
  public String title() {
    String line = MARK.matcher(entry.text().title()).replaceFirst("");
    String said =
        entry
            .text()
            .heading()
            .filter(_ -> NoteName.of(entry).filter(NoteName::isItem).isEmpty())
            .orElseGet(() -> AFTER_SENTENCE.matcher(line).replaceFirst(""));
    String title = PrintableText.excerpt(said, TITLE);
    return title.isEmpty() ? name() : title;
  }

  /** Returns the memory file and the line of a fact, such as {@code MEMORY.md:12}; else empty. */
  public Optional<String> place() {
    return entry.text().position().flatMap(at -> entry.note().map(file -> file + ":" + at.line()));
  }

  /** Returns the entry's name in helix, or the note's name. Two notes can have the same name. */
  public String name() {
    return NoteName.of(entry).map(NoteName::name).orElseGet(() -> entry.topic() + ":" + index);
  }
}
