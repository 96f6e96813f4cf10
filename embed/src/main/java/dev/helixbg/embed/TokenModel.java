package dev.helixbg.embed;

import ai.onnxruntime.OrtException;

/** A loaded network that turns token ids into vectors; safe for several callers at once. */
interface TokenModel extends AutoCloseable {

  /** How many texts make a batch of which the longest has this many tokens; at least 1. */
  int batchSize(int longest);

  /** How many threads may usefully call {@link #embed} at once, of those there are. */
  int callers(int threads);

  /**
   * @param ids of each text, as many texts as {@link #batchSize} allows
   * @return for each text a vector of unit length
   */
  float[][] embed(int[][] ids) throws OrtException;

  @Override
  void close();
}
