package dev.helixbg.insight.findings;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.notes.NoteName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * An entry under the name by which helix users refer to it.
 *
 * @param index position among the live entries of its topic, by offset, from 0: the entry's name is
 *     {@code topic:index}
 * @param key 32 hex digits of the hash of its embedded text: the same wherever a compaction moves
 *     it
 * @param linked whether another entry links to it
 */
public record NamedEntry(Entry entry, int index, String key, boolean linked) {

  /** The same with another text. */
  NamedEntry with(Entry changed) {
    return new NamedEntry(changed, index, key, linked);
  }

  public String topic() {
    return entry.topic();
  }

  /** Its body, taken apart. */
  public EntryText text() {
    return entry.text();
  }

  /** Its body without metadata lines. */
  public String content() {
    return text().content();
  }

  /** How other entries link to it. */
  public EntryText.Link link() {
    return new EntryText.Link(topic(), index);
  }

  /** One to which no other entry links. */
  public NamedEntry(Entry entry, int index, String key) {
    this(entry, index, key, false);
  }

  /**
   * Names live entries.
   *
   * @param entries all of a log, by rising offset
   * @param key of each
   */
  public static List<NamedEntry> all(List<Entry> entries, Function<Entry, String> key) {
    int[] indices = ordinals(entries.stream().map(Entry::topic).toList());
    Set<EntryText.Link> targets = new HashSet<>();
    for (int i = 0; i < indices.length; i++) {
      EntryText.Link own = new EntryText.Link(entries.get(i).topic(), indices[i]);
      entries.get(i).text().links().stream()
          .filter(link -> !link.equals(own))
          .forEach(targets::add);
    }
    return IntStream.range(0, indices.length)
        .mapToObj(
            i -> {
              Entry entry = entries.get(i);
              boolean linked = targets.contains(new EntryText.Link(entry.topic(), indices[i]));
              return new NamedEntry(entry, indices[i], key.apply(entry), linked);
            })
        .toList();
  }

  /** Number of each name among those that are equal to it, from 0. */
  public static int[] ordinals(List<String> names) {
    Map<String, Integer> seen = HashMap.newHashMap(names.size());
    return names.stream().mapToInt(name -> seen.merge(name, 1, Integer::sum) - 1).toArray();
  }

  /**
   * Whether it was written before another one: by the times that helix noted, where those say
   * nothing by the order of a file of facts, and else by the log, to which helix only appends.
   */
  public boolean isOlderThan(NamedEntry other) {
    int order = FactOrder.between(entry, other.entry());
    return order != 0
        ? order < 0
        : hasOtherTime(other)
            ? entry.timestampMin() < other.entry().timestampMin()
            : entry.offset() < other.entry().offset();
  }

  /** Whether helix noted the times of both, and not the same one. */
  boolean hasOtherTime(NamedEntry other) {
    int mine = entry.timestampMin();
    int its = other.entry().timestampMin();
    return mine != 0 && its != 0 && mine != its;
  }

  /**
   * Whether it is known which of two was written first. The log does not tell it of notes: they are
   * in the order of their dates, and many dates have no time of day.
   */
  public boolean isAgeKnown(NamedEntry other) {
    int mine = entry.timestampMin();
    int its = other.entry().timestampMin();
    boolean sameDay = Math.floorDiv(mine, Entry.DAY) == Math.floorDiv(its, Entry.DAY);
    return entry.note().isEmpty()
        || FactOrder.between(entry, other.entry()) != 0
        || hasOtherTime(other) && !(sameDay && (entry.isOfADay() || other.entry().isOfADay()));
  }

  /** Hashes the offset, which tells entries apart, not the text. */
  @Override
  public int hashCode() {
    return Long.hashCode(entry.offset());
  }

  /** Longest title, in columns of a terminal. */
  private static final int TITLE = 70;

  /** A mark of Markdown before a line, and what follows its first sentence. */
  private static final Pattern MARK = Pattern.compile("^(?:#{1,6}|[-*>+]|\\d{1,3}[.)])\\s+");

  private static final Pattern AFTER_SENTENCE = Pattern.compile("(?<=[.!?])\\s.*");

  /** Returns what a person knows it by: its heading, else its first sentence, else its name. */
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

  /** Where a person finds a fact of a memory file now: {@code MEMORY.md:12}. */
  public Optional<String> place() {
    return entry.text().position().flatMap(at -> entry.note().map(file -> file + ":" + at.line()));
  }

  /**
   * Returns its name for people: its position in its topic, as in helix, or a note's file and
   * heading. Several notes may have one name.
   */
  public String name() {
    return NoteName.of(entry).map(NoteName::name).orElseGet(() -> entry.topic() + ":" + index);
  }
}
