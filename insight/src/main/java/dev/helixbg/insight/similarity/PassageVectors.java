package dev.helixbg.insight.similarity;

import dev.helixbg.insight.log.Passage;
import java.util.List;

/**
 * The passages of long entries and their vectors, in the order of the entries.
 *
 * @param owners for each passage, the index of its entry, in ascending order
 */
public record PassageVectors(int[] owners, List<Passage> passages, Vectors vectors) {
  /** The passages of a KB without long entries. */
  public static final PassageVectors NONE =
      new PassageVectors(new int[0], List.of(), new Vectors(0, 1, new float[0]));

  public static PassageVectors of(
      List<Integer> owners, List<Passage> passages, List<float[]> vectors) {
    return new PassageVectors(
        owners.stream().mapToInt(Integer::intValue).toArray(), passages, Vectors.of(vectors));
  }
}
