package dev.helixbg.embed;

import java.util.List;

/** Classifies how two texts are related; helix-bg's interface to the pair judges. */
public interface PairReader extends AutoCloseable {
  /** Maximum number of tokens that are read of each text. */
  int ROOM = 220;

  /** Kind of the texts of a pair. A separate pair judge was trained for each kind. */
  enum Kind {
    NOTES,

    FACTS
  }

  /** The texts of a pair. If a text is too long, its end is not read. */
  record Texts(Kind kind, String older, String newer) {}

  /** Relations of two texts, in the order of the logits. */
  enum Relation {
    SAME,
    OVERTAKEN,
    RELATED,
    DIFFERENT
  }

  /**
   * Result of reading a pair.
   *
   * @param logits logit of each {@link Relation}; no NaN
   * @param olderWhole whether the older text was read to its end
   * @param newerWhole whether the newer text was read to its end
   */
  record Reading(float[] logits, boolean olderWhole, boolean newerWhole) {}

  /** Receives readings, each with its pair's position in the list. */
  interface Sink {
    void accept(int index, Reading reading);
  }

  /**
   * Reads all pairs, in any order and on any thread, but one thread at a time calls the sink. A
   * reading depends only on the two texts of its pair, not on other pairs.
   *
   * @throws EmbeddingException when the model fails; the readings so far are valid
   * @throws InterruptedException when the calling thread is interrupted (checked between batches)
   */
  void read(List<Texts> pairs, Sink sink) throws InterruptedException;

  @Override
  void close();
}
