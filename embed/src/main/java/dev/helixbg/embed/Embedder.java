package dev.helixbg.embed;

import java.util.List;

/** Texts to unit vectors; what the pipeline needs of a model, and all it knows of one. */
public interface Embedder extends AutoCloseable {

  /**
   * Embeds all texts. Batches may finish in any order and on any thread, but the sink is called by
   * one thread at a time.
   *
   * @param texts in any order and of any length; what exceeds the model's token limit is cut
   * @param sink receives each finished vector, with the index of its text in {@code texts}
   * @throws EmbeddingException when the model fails; the vectors that the sink has are good
   * @throws InterruptedException when the calling thread is interrupted; it is noticed between
   *     batches
   */
  void embed(List<String> texts, VectorSink sink) throws InterruptedException;

  /** All vectors at once, in the order of the texts. */
  default float[][] embedAll(List<String> texts) throws InterruptedException {
    float[][] vectors = new float[texts.size()][];
    embed(texts, (index, vector) -> vectors[index] = vector);
    return vectors;
  }

  @Override
  void close();

  /** Receives finished vectors. */
  interface VectorSink {
    /**
     * @param index of the text in the list that is being embedded
     * @param vector {@link MiniLm#DIMENSION} values of unit length; the sink may keep it
     */
    void accept(int index, float[] vector);
  }
}
