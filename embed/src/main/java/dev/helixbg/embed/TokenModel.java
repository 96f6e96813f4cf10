package dev.helixbg.embed;

import ai.onnxruntime.OrtException;

/** A loaded network that turns token ids into vectors; several threads may call it at once. */
interface TokenModel extends AutoCloseable {
  /**
   * Maximum number of tokens of a batch, with padding. Larger batches do not fit into the
   * processor's cache; smaller ones have too few rows for fast matrix products.
   */
  int TOKENS_PER_BATCH = 512;

  /**
   * Returns the maximum number of texts in a batch whose longest text has {@code longest} tokens.
   */
  default int batchSize(int longest) {
    return Math.max(1, TOKENS_PER_BATCH / longest);
  }

  /** Returns how many of {@code threads} threads can usefully call {@link #embed} at once. */
  default int callers(int threads) {
    return threads;
  }

  /** Returns a vector for each of at most {@link #batchSize} texts, given as token ids. */
  float[][] embed(int[][] ids) throws OrtException;

  @Override
  void close();
}
