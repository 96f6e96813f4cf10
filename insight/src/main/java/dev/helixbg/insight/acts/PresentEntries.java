package dev.helixbg.insight.acts;

import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The live entries of a knowledge base as they are now, found by their text: a report names places,
 * which have moved since if anybody wrote.
 */
public final class PresentEntries {
  private final LogAccount log;
  private final List<NamedEntry> entries;
  private final Map<String, List<NamedEntry>> byKey = new HashMap<>();
  private final Map<String, List<NamedEntry>> byTopic = new HashMap<>();

  /** Made when first asked: most questions need no plan. */
  private ActPlanner planner;

  /**
   * @param modelId of the embedding model, by which keys are made
   */
  public PresentEntries(LogReading log, String modelId) {
    this.log = log.account();
    entries =
        NamedEntry.all(log.entries(), entry -> TextKey.of(modelId, entry.embeddedText()).hex());
    for (NamedEntry entry : entries) {
      byKey.computeIfAbsent(entry.key(), key -> new ArrayList<>()).add(entry);
      byTopic.computeIfAbsent(entry.topic(), topic -> new ArrayList<>()).add(entry);
    }
  }

  /** The log that they were read from. */
  public LogAccount log() {
    return log;
  }

  /** All of them, by offset. */
  public List<NamedEntry> all() {
    return entries;
  }

  /**
   * Returns the entries with these texts. For a text that is asked for twice it returns two
   * entries, in the order of the log. Nothing when fewer entries are left.
   */
  public Optional<List<NamedEntry>> of(List<String> keys) {
    Map<String, Integer> taken = new HashMap<>();
    List<NamedEntry> found = new ArrayList<>();
    for (String key : keys) {
      List<NamedEntry> same = byKey.getOrDefault(key, List.of());
      int next = taken.merge(key, 1, Integer::sum) - 1;
      if (next >= same.size()) {
        return Optional.empty();
      }
      found.add(same.get(next));
    }
    return Optional.of(found);
  }

  /** All with any of these texts, by offset. */
  public List<NamedEntry> allOf(List<String> keys) {
    return keys.stream()
        .distinct()
        .flatMap(key -> byKey.getOrDefault(key, List.of()).stream())
        .sorted(Comparator.comparingLong(one -> one.entry().offset()))
        .toList();
  }

  /** How many a topic has. */
  public int in(String topic) {
    return byTopic.getOrDefault(topic, List.of()).size();
  }

  /** Entries on which an act that was broken off has left its mark. */
  public List<NamedEntry> marked() {
    return entries.stream().filter(one -> ActMark.isLeftOn(one.entry().body())).toList();
  }

  /** Whether the marks of an act stand where they should, see {@link ActPlan#marked}. */
  public boolean areMarked(List<String> hashes) {
    return ActMark.areUnder(entries, hashes);
  }

  /**
   * The folders of notes that a topic is made of, mostly one: topics have no blanks and a bounded
   * length, and folders with different names can become one topic.
   */
  private List<String> foldersOf(String topic) {
    List<String> folders =
        byTopic.getOrDefault(topic, List.of()).stream()
            .flatMap(one -> NoteName.of(one.entry()).stream())
            .map(NoteName::folder)
            .distinct()
            .sorted()
            .toList();
    return folders.isEmpty() ? List.of(topic) : folders;
  }

  /** Makes ready what the first plan takes a while for. */
  public synchronized void prepare() {
    if (planner == null) {
      planner = new ActPlanner(entries, log);
    }
  }

  /** How an act on them is carried out. */
  public synchronized ActPlan plan(Act act) {
    if (!entries.isEmpty() && entries.getFirst().entry().note().isPresent()) {
      return ActPlan.byHand(NoteSteps.of(act.change(), this::foldersOf));
    }
    prepare();
    return planner.plan(act);
  }
}
