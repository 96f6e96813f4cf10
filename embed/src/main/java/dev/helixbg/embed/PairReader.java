package dev.helixbg.embed;

import java.util.List;

/**
 * Reads two texts together, the older one first, and says how they are related; what the pipeline
 * needs of the pair judge, and all it knows of it.
 */
public interface PairReader extends AutoCloseable {
  /** Tokens that are read of each text at most. */
  int ROOM = 220;

  /**
   * The texts of a pair. Each begins where it is to be read.
   *
   * @param older of the two
   */
  record Texts(String older, String newer) {}

  /** How two texts may be related, in the order of the logits. */
  enum Relation {
    SAME,
    OVERTAKEN,
    RELATED,
    DIFFERENT
  }

  /**
   * Result of reading a pair.
   *
   * @param logits of each {@link Relation}: numbers
   * @param olderWhole whether the older text was read to its end
   * @param newerWhole whether the newer one was
   */
  record Reading(float[] logits, boolean olderWhole, boolean newerWhole) {}

  /** Receives readings. */
  interface Sink {
    /**
     * @param index of the pair in the list that is being read
     */
    void accept(int index, Reading reading);
  }

  /**
   * Reads all pairs. They may finish in any order and on any thread, but the sink is called by one
   * thread at a time. A reading depends on its own two texts alone.
   *
   * @throws EmbeddingException when the model fails; the readings that the sink has are good
   * @throws InterruptedException when the calling thread is interrupted; it is noticed between
   *     batches
   */
  void read(List<Texts> pairs, Sink sink) throws InterruptedException;

  @Override
  void close();
}
