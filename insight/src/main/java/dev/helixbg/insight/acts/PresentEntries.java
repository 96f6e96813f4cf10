package dev.helixbg.insight.acts;

import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.LogAccount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The present live entries of a knowledge base, and plans of acts on them. Entries are found by
 * text, because their places may have changed since a report named them.
 */
public final class PresentEntries {
  private final LogAccount log;
  private final List<NamedEntry> entries;
  private final Map<String, List<NamedEntry>> byKey;
  private final Map<String, List<NamedEntry>> byTopic;

  /** Null until the first act is planned, because most requests plan no act. */
  private ActPlanner planner;

  /** An entry's key is a hash of its text and of {@code modelId}, the embedding model's id. */
  public PresentEntries(LogReading log, String modelId) {
    this.log = log.account();
    entries =
        NamedEntry.all(log.entries(), entry -> TextKey.of(modelId, entry.embeddedText()).hex());
    byKey = entries.stream().collect(Collectors.groupingBy(NamedEntry::key));
    byTopic = entries.stream().collect(Collectors.groupingBy(NamedEntry::topic));
  }

  public LogAccount log() {
    return log;
  }

  /** Returns all entries, ordered by offset. */
  public List<NamedEntry> all() {
    return entries;
  }

  /**
   * Returns one entry for each key; empty if an entry is missing. A key that is given twice yields
   * two entries with the same text, in the order of the log.
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

  /** Returns all entries whose text has one of these keys, ordered by offset. */
  public List<NamedEntry> allOf(List<String> keys) {
    return keys.stream()
        .distinct()
        .flatMap(key -> byKey.getOrDefault(key, List.of()).stream())
        .sorted(Comparator.comparingLong(one -> one.entry().offset()))
        .toList();
  }

  public int in(String topic) {
    return byTopic.getOrDefault(topic, List.of()).size();
  }

  /** Returns the entries with the mark of a stopped act. */
  public List<NamedEntry> marked() {
    return entries.stream().filter(one -> ActMark.isLeftOn(one.entry().body())).toList();
  }

  /**
   * Whether each mark of a plan stands below the text that the mark was made for. {@code hashes}
   * are {@link ActPlan#marked}.
   */
  public boolean areMarked(List<String> hashes) {
    return ActMark.areUnder(entries, hashes);
  }

  /** Makes the planner in advance, because making it takes a while. */
  public synchronized void prepare() {
    if (planner == null) {
      planner = new ActPlanner(entries, log);
    }
  }

  public synchronized ActPlan plan(Act act) {
    if (!entries.isEmpty() && entries.getFirst().entry().note().isPresent()) {
      return ActPlan.byHand(NoteSteps.of(act.change()));
    }
    prepare();
    return planner.plan(act);
  }
}
