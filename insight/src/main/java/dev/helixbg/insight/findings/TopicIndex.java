package dev.helixbg.insight.findings;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The topics of a list of entries by number, in the order of their names.
 *
 * @param names names of the topics, sorted
 * @param topicOf number of the topic of each entry
 * @param sizes number of entries in each topic
 */
record TopicIndex(List<String> names, int[] topicOf, int[] sizes) {

  static TopicIndex of(List<NamedEntry> entries) {
    TreeSet<String> sorted = new TreeSet<>();
    entries.forEach(named -> sorted.add(named.topic()));
    List<String> names = List.copyOf(sorted);
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
