package dev.helixbg.embed;

import ai.onnxruntime.OrtException;

/** A loaded network that turns token ids into vectors; several threads may call it at once. */
interface TokenModel extends AutoCloseable {

  /**
   * Returns the largest number of texts in a batch whose longest text has {@code longest} tokens;
   * at least 1.
   */
  int batchSize(int longest);

  /** Returns how many of {@code threads} threads can usefully call {@link #embed} at once. */
  int callers(int threads);

  /**
   * @param ids token ids of each text; at most {@link #batchSize} texts
   * @return for each text a vector of unit length
   */
  float[][] embed(int[][] ids) throws OrtException;

  @Override
  void close();
}
