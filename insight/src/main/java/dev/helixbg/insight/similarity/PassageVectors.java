package dev.helixbg.insight.similarity;

import dev.helixbg.insight.log.Passage;
import java.util.List;

/**
 * The passages of long entries, in the order of the entries, with their vectors.
 *
 * @param owners of each passage, the index of its entry; rising
 * @param passages of the entries
 * @param vectors of the passages, of the same length as those of the entries
 */
public record PassageVectors(int[] owners, List<Passage> passages, Vectors vectors) {
  /** No entry is long. */
  public static final PassageVectors NONE =
      new PassageVectors(new int[0], List.of(), new Vectors(0, 1, new float[0]));

  /**
   * @param owners of each passage
   */
  public static PassageVectors of(
      List<Integer> owners, List<Passage> passages, List<float[]> vectors) {
    return new PassageVectors(
        owners.stream().mapToInt(Integer::intValue).toArray(), passages, Vectors.of(vectors));
  }
}
