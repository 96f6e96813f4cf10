package dev.helixbg.embed.cache;

import java.util.List;

/**
 * The ids under which the vectors of one model may be in a KB's caches: one for each way to compute
 * them. A cache is of one of them.
 *
 * @param entries of the entries' own vectors; the usual one first
 * @param passages of those of passages
 */
public record VectorIds(List<String> entries, List<String> passages) {

  /** Returns the id that names texts and findings, independent of the ids of their vectors. */
  public String name() {
    return entries.getFirst();
  }
}
