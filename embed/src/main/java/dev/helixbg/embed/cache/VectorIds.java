package dev.helixbg.embed.cache;

import java.util.List;

/**
 * The ids that the vectors of one model can have in a KB's caches: one id for each method of
 * computing vectors. All vectors in a cache have the same id.
 *
 * @param entries ids for vectors of entries; the usual id first
 * @param passages ids for vectors of passages
 */
public record VectorIds(List<String> entries, List<String> passages) {

  /**
   * Returns the id from which the keys of texts and findings are computed. This id does not depend
   * on the method of computing vectors.
   */
  public String name() {
    return entries.getFirst();
  }
}
