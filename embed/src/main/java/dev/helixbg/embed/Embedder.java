package dev.helixbg.embed;

import java.util.List;

/** Turns texts into unit vectors; helix-bg's interface to an embedding model. */
public interface Embedder extends AutoCloseable {

  /**
   * Embeds all texts, in any order and on any thread. Only one thread at a time calls the sink.
   *
   * @param texts texts of any length; each is cut at the model's token limit
   * @throws EmbeddingException when the model fails; the vectors that the sink has received are
   *     valid
   * @throws InterruptedException when the calling thread is interrupted (checked between batches)
   */
  void embed(List<String> texts, VectorSink sink) throws InterruptedException;

  default float[][] embedAll(List<String> texts) throws InterruptedException {
    float[][] vectors = new float[texts.size()][];
    embed(texts, (index, vector) -> vectors[index] = vector);
    return vectors;
  }

  @Override
  void close();

  interface VectorSink {
    /**
     * @param index position of the text in the list
     * @param vector {@link MiniLm#DIMENSION} values of unit length; the sink may keep it
     */
    void accept(int index, float[] vector);
  }
}
