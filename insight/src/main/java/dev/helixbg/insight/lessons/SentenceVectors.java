package dev.helixbg.insight.lessons;

import java.util.List;

/** Makes the vectors of sentences with the embedding model. */
@FunctionalInterface
public interface SentenceVectors {
  /**
   * @param sentences different sentences
   * @return unit vectors of equal length, in the order of the sentences
   * @throws InterruptedException when interrupted; vectors made so far may be saved
   */
  List<float[]> of(List<String> sentences) throws InterruptedException;
}
