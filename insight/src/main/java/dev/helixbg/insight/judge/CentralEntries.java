package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.similarity.Middle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The entries that represent each topic, because they are nearest to the topic's mean vector. */
public final class CentralEntries {
  private final List<NamedEntry> entries;
  private final IntFunction<float[]> vectors;
  private final Map<String, List<Integer>> members = new LinkedHashMap<>();

  /** {@code entries} must be ordered by offset. */
  public CentralEntries(List<NamedEntry> entries, IntFunction<float[]> vectors) {
    this.entries = entries;
    this.vectors = vectors;
    for (int i = entries.size() - 1; i >= 0; i--) {
      members.computeIfAbsent(entries.get(i).topic(), topic -> new ArrayList<>()).add(i);
    }
  }

  /** Returns the topics; the topic with the newest entry is first. */
  List<String> topics() {
    return List.copyOf(members.keySet());
  }

  /**
   * Returns the contents of the most central entries of a topic; the entry nearest to the topic's
   * mean vector is first.
   */
  List<String> contents(String topic, int most) {
    List<Integer> of = members.get(topic);
    Middle middle = Middle.of(of.stream().map(vectors::apply).toList());
    Map<Integer, Double> nearness = new HashMap<>();
    of.forEach(member -> nearness.put(member, middle.nearness(vectors.apply(member))));
    return of.stream()
        .sorted(
            Comparator.comparingDouble((Integer member) -> -nearness.get(member))
                .thenComparing(member -> entries.get(member).key()))
        .map(member -> entries.get(member).content())
        .distinct()
        .limit(most)
        .toList();
  }
}
