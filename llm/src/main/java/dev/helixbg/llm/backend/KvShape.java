package dev.helixbg.llm.backend;

import dev.helixbg.llm.tensor.TensorType;

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

  /** How the numbers of a head are stored. */
  public enum Storage {
    F16(TensorType.F16),
    F32(TensorType.F32),
    /** In eight bits, 32 numbers sharing a scale: half of f16's memory. On the CPU only. */
    Q8_0(TensorType.Q8_0);

    private final TensorType type;

    Storage(TensorType type) {
      this.type = type;
    }

    /** The layout of a head, whose numbers are whole blocks of it. */
    public TensorType type() {
      return type;
    }
  }

  /**
   * @throws IllegalArgumentException if a head is no whole number of the storage's blocks
   */
  public KvShape {
    storage.type().bytes(headSize);
  }

  /** Bytes of one head's keys, or of its values, at one position. */
  public long headBytes() {
    return storage.type().bytes(headSize);
  }

  /** Bytes of keys and values that one position takes in all layers. */
  public long bytesPerPosition() {
    return 2L * layers * kvHeads * headBytes();
  }
}
