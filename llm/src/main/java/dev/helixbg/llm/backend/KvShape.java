package dev.helixbg.llm.backend;

/**
 * What a cache holds.
 *
 * @param layers of the model
 * @param kvHeads per layer
 * @param headSize values per head
 * @param limit the most positions it may hold
 * @param storage of keys and values
 */
public record KvShape(int layers, int kvHeads, int headSize, int limit, Storage storage) {

  /** How a number in the cache is stored. */
  public enum Storage {
    F16(2),
    F32(4);

    private final int bytes;

    Storage(int bytes) {
      this.bytes = bytes;
    }

    /** Per number. */
    public int bytes() {
      return bytes;
    }
  }

  /** Bytes of keys and values that one position takes in all layers. */
  public long bytesPerPosition() {
    return 2L * layers * kvHeads * headSize * storage.bytes();
  }
}
