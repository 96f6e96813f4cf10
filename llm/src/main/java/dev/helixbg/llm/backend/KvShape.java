package dev.helixbg.llm.backend;

/**
 * Shape of a cache of keys and values, which are stored as f16.
 *
 * @param limit maximum number of positions (tokens) of a sequence
 */
public record KvShape(int layers, int kvHeads, int headSize, int limit) {
  /** Returns the size of one head's key or value vector, in bytes. */
  public long headBytes() {
    return (long) Short.BYTES * headSize;
  }

  /** Returns the size of one position's keys and values in all layers, in bytes. */
  public long bytesPerPosition() {
    return 2L * layers * kvHeads * headBytes();
  }
}
