package dev.helixbg.embed.cache;

import java.util.List;

/**
 * The ids of the vectors of one model. Each method of computing vectors has an id. The entries of a
 * KB have vectors with one of the ids, and so have the passages.
 *
 * @param entries ids for vectors of entries; the usual id first
 * @param passages ids for vectors of passages
 */
public record VectorIds(List<String> entries, List<String> passages) {

  /** Returns the id in the keys of texts and findings; it does not depend on the method. */
  public String name() {
    return entries.getFirst();
  }
}
