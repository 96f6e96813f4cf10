package dev.helixbg.insight.findings;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The topics of a list of entries. The topics are numbered in the order of their names. */
record TopicIndex(List<String> names, int[] topicOf, int[] sizes) {

  static TopicIndex of(List<NamedEntry> entries) {
    List<String> names = entries.stream().map(NamedEntry::topic).distinct().sorted().toList();
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    int[] topicOf = new int[entries.size()];
    int[] sizes = new int[names.size()];
    for (int i = 0; i < topicOf.length; i++) {
      topicOf[i] = numbers.get(entries.get(i).topic());
      sizes[topicOf[i]]++;
    }
    return new TopicIndex(names, topicOf, sizes);
  }

  int count() {
    return names.size();
  }
}
