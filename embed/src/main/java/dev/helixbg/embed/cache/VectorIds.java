package dev.helixbg.embed.cache;

import java.util.List;

/**
 * The ids under which a KB's caches may have the vectors of one model: one id for each method of
 * computing vectors. A cache has vectors of one id.
 *
 * @param entries ids for vectors of entries; the usual id first
 * @param passages ids for vectors of passages
 */
public record VectorIds(List<String> entries, List<String> passages) {

  /** Returns the id in the keys of texts and findings, the same for all ids of vectors. */
  public String name() {
    return entries.getFirst();
  }
}
