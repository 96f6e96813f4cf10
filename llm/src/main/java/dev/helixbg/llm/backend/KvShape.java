package dev.helixbg.llm.backend;

/**
 * Sizes of a cache of keys and values, which are kept as numbers of f16.
 *
 * @param layers of the model
 * @param kvHeads per layer
 * @param headSize values per head
 * @param limit the most positions it may hold
 */
public record KvShape(int layers, int kvHeads, int headSize, int limit) {
  /** Bytes of one head's keys, or of its values, at one position. */
  public long headBytes() {
    return (long) Short.BYTES * headSize;
  }

  /** Bytes of keys and values that one position takes in all layers. */
  public long bytesPerPosition() {
    return 2L * layers * kvHeads * headBytes();
  }
}
