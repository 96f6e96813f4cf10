package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Entry;

/**
 * An entry under the name by which helix users refer to it.
 *
 * @param index position among the live entries of its topic, by offset, from 0: the entry's name is
 *     {@code topic:index}
 * @param key 32 hex digits of the hash of its embedded text: the same wherever a compaction moves
 *     it
 */
public record NamedEntry(Entry entry, int index, String key) {

  public String name() {
    return entry.topic() + ":" + index;
  }
}
