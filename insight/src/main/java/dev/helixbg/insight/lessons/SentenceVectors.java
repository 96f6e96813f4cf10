package dev.helixbg.insight.lessons;

import java.util.List;

/** The vectors of sentences: those of the embedding model. */
@FunctionalInterface
public interface SentenceVectors {
  /**
   * Gives each sentence its vector.
   *
   * @param sentences distinct ones
   * @return unit vectors of one length, in the order of the sentences
   * @throws InterruptedException when interrupted; what was embedded until then may be saved
   */
  List<float[]> of(List<String> sentences) throws InterruptedException;
}
