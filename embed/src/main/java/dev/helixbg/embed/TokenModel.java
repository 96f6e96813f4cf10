package dev.helixbg.embed;

import ai.onnxruntime.OrtException;

/** A loaded network that turns token ids into vectors; safe for several callers at once. */
interface TokenModel extends AutoCloseable {

  /** Most texts of a batch whose longest text has this many tokens; at least 1. */
  int batchSize(int longest);

  /** Number of threads, of those given, that may usefully call {@link #embed} at once. */
  int callers(int threads);

  /**
   * @param ids of each text, as many texts as {@link #batchSize} allows
   * @return for each text a vector of unit length
   */
  float[][] embed(int[][] ids) throws OrtException;

  @Override
  void close();
}
