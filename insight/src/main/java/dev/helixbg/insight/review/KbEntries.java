package dev.helixbg.insight.review;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.similarity.Vectors;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The live entries of a KB as a review sees them.
 *
 * @param entries by offset
 * @param keys of the entries, 32 hex digits of their text's hash each
 * @param vectors of the entries
 * @param logSha256 of the log they were read from
 */
public record KbEntries(List<Entry> entries, List<String> keys, Vectors vectors, String logSha256) {
  public KbEntries {
    if (keys.size() != entries.size() || vectors.count() != entries.size()) {
      throw new IllegalArgumentException("entries, keys and vectors must be as many");
    }
  }

  /** {@code topic:index} of each entry. */
  List<String> names() {
    Map<String, Integer> sizes = new HashMap<>();
    return entries.stream()
        .map(entry -> entry.topic() + ":" + (sizes.merge(entry.topic(), 1, Integer::sum) - 1))
        .toList();
  }

  String text(int index) {
    return entries.get(index).text().content();
  }

  String excerpt(int index) {
    String text = text(index).strip();
    int end = text.offsetByCodePoints(0, Math.min(160, text.codePointCount(0, text.length())));
    return end < text.length() ? text.substring(0, end) + "…" : text;
  }
}
