package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Entry;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The topics of a list of entries by number, in the order of their names.
 *
 * @param names of the topics, sorted
 * @param topicOf number of the topic of each entry
 * @param indexIn position of each entry among those of its topic, from 0
 * @param sizes entries in each topic
 */
record TopicIndex(List<String> names, int[] topicOf, int[] indexIn, int[] sizes) {

  static TopicIndex of(List<Entry> entries) {
    TreeSet<String> sorted = new TreeSet<>();
    entries.forEach(entry -> sorted.add(entry.topic()));
    List<String> names = List.copyOf(sorted);
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    int[] topicOf = new int[entries.size()];
    int[] indexIn = new int[entries.size()];
    int[] sizes = new int[names.size()];
    for (int i = 0; i < topicOf.length; i++) {
      topicOf[i] = numbers.get(entries.get(i).topic());
      indexIn[i] = sizes[topicOf[i]]++;
    }
    return new TopicIndex(names, topicOf, indexIn, sizes);
  }

  /** The number of a topic; below 0 if there is none of that name. */
  int number(String name) {
    return Collections.binarySearch(names, name);
  }

  int count() {
    return names.size();
  }
}
