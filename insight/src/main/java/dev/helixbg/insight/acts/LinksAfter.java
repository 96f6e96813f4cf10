package dev.helixbg.insight.acts;

import static dev.helixbg.insight.acts.NotCallableException.require;

import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText.Link;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Computes the places that entries have in their topics after an act, and the links that must
 * change because their targets get other places. See {@link ActPlanner}.
 */
final class LinksAfter {
  /** Maximum number of entries that get new links from one act. */
  private static final int MAX_RELINKED = 24;

  enum Fate {
    DELETED,
    APPENDED,
    REVISED
  }

  private final Change change;
  private final Map<String, List<NamedEntry>> topics;
  private final List<NamedEntry> linking;

  private final Map<NamedEntry, Fate> fates;

  /** Entries that get new links, in the order in which {@link #settle} found them. */
  private final Set<NamedEntry> relinked = new LinkedHashSet<>();

  /** The new place of each entry; removed entries are missing. */
  private final Map<NamedEntry, Link> places = new HashMap<>();

  /** The new number of entries of each changed topic. */
  private final Map<String, Integer> sizes = new HashMap<>();

  /**
   * {@code topics} has the live entries of each topic, ordered by offset; {@code linking} are the
   * live entries with links.
   */
  LinksAfter(
      Change change,
      Map<String, List<NamedEntry>> topics,
      List<NamedEntry> linking,
      Map<NamedEntry, Fate> fates) {
    this.change = change;
    this.topics = topics;
    this.linking = linking;
    this.fates = fates;
  }

  /** Computes the places of entries after the act, and finds the entries that need new links. */
  void settle() {
    for (boolean grew = true; grew; ) {
      layOut();
      grew =
          relinked.addAll(
              linking.stream().filter(one -> !fates.containsKey(one) && !keepsLinks(one)).toList());
      require(
          relinked.size() <= MAX_RELINKED,
          ("more than %d other notes have links by number into these topics, and all these links"
                  + " would have to be written anew")
              .formatted(MAX_RELINKED));
    }
  }

  private void layOut() {
    places.clear();
    sizes.clear();
    Map<String, List<NamedEntry>> after = new HashMap<>();
    for (String topic : topicsConcerned()) {
      List<NamedEntry> stay = new ArrayList<>(topics.getOrDefault(topic, List.of()));
      stay.removeIf(one -> fates.containsKey(one) || relinked.contains(one));
      after.put(topic, stay);
    }
    if (change instanceof Change.MergeTopics merge) {
      after.get(merge.large()).addAll(after.put(merge.small(), List.of()));
    }
    fates.forEach(
        (one, fate) -> {
          if (fate != Fate.DELETED) {
            after.get(topicAfter(one)).add(one);
          }
        });
    relinkedInOrder().forEach(one -> after.get(topicAfter(one)).add(one));
    after.forEach(
        (topic, entries) -> {
          sizes.put(topic, entries.size());
          for (int i = 0; i < entries.size(); i++) {
            places.put(entries.get(i), new Link(topic, i));
          }
        });
  }

  /** Returns the topics in which the places of entries may change. */
  Set<String> topicsConcerned() {
    Set<String> concerned = new LinkedHashSet<>();
    Stream.concat(fates.keySet().stream(), relinked.stream())
        .forEach(one -> concerned.add(one.topic()));
    if (change instanceof Change.MergeTopics merge) {
      concerned.addAll(List.of(merge.small(), merge.large()));
    }
    if (change instanceof Change.Gather gather) {
      gather.entries().forEach(one -> concerned.add(one.topic()));
      concerned.add(gather.topic());
    }
    return concerned;
  }

  String topicAfter(NamedEntry entry) {
    return change instanceof Change.MergeTopics merge && merge.small().equals(entry.topic())
        ? merge.large()
        : entry.topic();
  }

  boolean keepsLinks(NamedEntry entry) {
    return linksAfter(entry).equals(entry.text().links());
  }

  /** Returns the links that an entry needs after the act, so that they lead to the same targets. */
  List<Link> linksAfter(NamedEntry entry) {
    return linksAfter(entry, entry.text().links());
  }

  List<Link> linksAfter(NamedEntry entry, List<Link> links) {
    List<Link> after = new ArrayList<>();
    for (Link link : links) {
      List<NamedEntry> all = topics.getOrDefault(link.topic(), List.of());
      if (link.index() >= all.size()) { // a dead link is dropped if the act would give it a target
        if (link.index() >= sizes.getOrDefault(link.topic(), 0)) {
          after.add(link);
        }
        continue;
      }
      NamedEntry target = all.get(link.index());
      NamedEntry standing = fates.get(target) == Fate.DELETED ? standIn() : target;
      if (standing == target || standing != entry) {
        after.add(place(standing));
      }
    }
    return after.equals(links) ? links : List.copyOf(new LinkedHashSet<>(after));
  }

  /** Returns the entry that replaces the removed entries. Links to them will lead to this entry. */
  NamedEntry standIn() {
    return switch (change) {
      case Change.Remove remove -> remove.kept();
      case Change.Rewrite rewrite -> rewrite.kept();
      default -> throw new IllegalStateException("nothing is removed by " + change);
    };
  }

  Link place(NamedEntry entry) {
    return places.getOrDefault(entry, entry.link());
  }

  Set<NamedEntry> relinked() {
    return relinked;
  }

  Stream<NamedEntry> relinkedInOrder() {
    return relinked.stream().sorted(Comparator.comparing(one -> one.entry().offset()));
  }
}
