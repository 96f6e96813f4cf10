package dev.helixbg.embed;

import dev.helixbg.embed.cache.Cosine;

/** Methods that compute one vector from the token states of a sequence. */
enum Pooling {
  /** Mean of the states, scaled to unit length; used for embeddings. */
  UNIT_MEAN,

  /** The first state; used for the pair judges. */
  FIRST;

  /**
   * Returns the vector of one sequence.
   *
   * @param states token states, row after row of {@link MiniLm#DIMENSION} values
   * @param from index of the sequence's first token
   * @param tokens number of tokens of the sequence, without padding; at least 1
   * @throws EmbeddingException when a state is NaN or infinite, or all states are 0
   */
  float[] pool(float[] states, int from, int tokens) {
    float[] vector = new float[MiniLm.DIMENSION];
    int end = this == FIRST ? from + 1 : from + tokens;
    for (int token = from; token < end; token++) {
      int row = token * MiniLm.DIMENSION;
      for (int i = 0; i < vector.length; i++) {
        vector[i] += states[row + i];
      }
    }
    double squared = Cosine.of(vector, vector);
    if (!(squared > 0 && squared < Double.POSITIVE_INFINITY)) {
      throw new EmbeddingException(
          "the embedding model gave values that are no numbers: it is damaged, or it is the wrong"
              + " model. Replace the model, or remove it to use the bundled model");
    }
    float scale = this == UNIT_MEAN ? (float) (1 / Math.sqrt(squared)) : 1;
    for (int i = 0; i < vector.length; i++) {
      vector[i] *= scale;
    }
    return vector;
  }
}
