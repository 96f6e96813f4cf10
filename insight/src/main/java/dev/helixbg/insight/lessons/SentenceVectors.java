package dev.helixbg.insight.lessons;

import java.util.List;

/** Makes the vectors of sentences with the embedding model. */
@FunctionalInterface
public interface SentenceVectors {
  /**
   * Returns the vector of each sentence.
   *
   * @param sentences the sentences, each only once
   * @return unit vectors of equal length, in the order of the sentences
   * @throws InterruptedException when interrupted; vectors made so far may be saved
   */
  List<float[]> of(List<String> sentences) throws InterruptedException;
}
