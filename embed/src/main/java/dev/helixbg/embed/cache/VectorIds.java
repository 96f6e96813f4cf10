package dev.helixbg.embed.cache;

import java.util.List;

/**
 * The ids of the vectors of one model. Each method of computing vectors has an id. All entries of a
 * KB have vectors with the same id, and so have all passages.
 *
 * @param entries ids for vectors of entries; the usual id first
 * @param passages ids for vectors of passages
 */
public record VectorIds(List<String> entries, List<String> passages) {

  /** Returns the id of vectors that the usual method computes. */
  public String name() {
    return entries.getFirst();
  }
}
