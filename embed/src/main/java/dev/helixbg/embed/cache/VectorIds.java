package dev.helixbg.embed.cache;

import java.util.List;

/**
 * The ids of the vectors of one model, one for each method; a KB's caches have one id each.
 *
 * @param entries ids for vectors of entries; the usual id first
 * @param passages ids for vectors of passages
 */
public record VectorIds(List<String> entries, List<String> passages) {

  /** Returns the id for the keys of texts and findings; it does not depend on the method. */
  public String name() {
    return entries.getFirst();
  }
}
