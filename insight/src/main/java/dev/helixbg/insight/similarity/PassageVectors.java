package dev.helixbg.insight.similarity;

import dev.helixbg.insight.log.Passage;
import java.util.List;

/**
 * The passages of long entries and their vectors, in the order of the entries.
 *
 * @param owners the index of the entry the index of the entry of each passage, in rising order
 * @param the passages
 * @param vectors the vectors of the passages, as long as those of the entries
 */
public record PassageVectors(int[] owners, List<Passage> passages, Vectors vectors) {
  /** The passages of a KB without long entries. */
  public static final PassageVectors NONE =
      new PassageVectors(new int[0], List.of(), new Vectors(0, 1, new float[0]));

  /**
   * @throws IllegalArgumentException when the three have different sizes, or owners are not in
   *     rising order
   */
  public PassageVectors {
    if (owners.length != passages.size() || owners.length != vectors.count()) {
      throw new IllegalArgumentException(
          "%d owners of %d passages with %d vectors"
              .formatted(owners.length, passages.size(), vectors.count()));
    }
    for (int i = 1; i < owners.length; i++) {
      if (owners[i] < owners[i - 1]) {
        throw new IllegalArgumentException("Passages are not in the order of their entries");
      }
    }
  }

  /**
   * @param owners of each passage
   */
  public static PassageVectors of(
      List<Integer> owners, List<Passage> passages, List<float[]> vectors) {
    return new PassageVectors(
        owners.stream().mapToInt(Integer::intValue).toArray(), passages, Vectors.of(vectors));
  }
}
