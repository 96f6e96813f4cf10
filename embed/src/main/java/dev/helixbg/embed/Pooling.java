package dev.helixbg.embed;

import dev.helixbg.embed.cache.Cosine;

/** Methods that compute one vector from the token states of a sequence. */
enum Pooling {
  /** Mean of the states, scaled to unit length; used for embeddings. */
  UNIT_MEAN {
    @Override
    float[] pool(float[] states, int from, int tokens) {
      float[] sum = sum(states, from, tokens);
      float scale = (float) (1 / Math.sqrt(squared(sum)));
      for (int i = 0; i < sum.length; i++) {
        sum[i] *= scale;
      }
      return sum;
    }
  },

  /** The first state; used for the pair judges. */
  FIRST {
    @Override
    float[] pool(float[] states, int from, int tokens) {
      float[] first = sum(states, from, 1);
      squared(first);
      return first;
    }
  };

  /**
   * Returns the vector of one sequence.
   *
   * @param states token states, row after row of {@link MiniLm#DIMENSION} values
   * @param from index of the sequence's first token
   * @param tokens number of tokens of the sequence, without padding; at least 1
   * @throws EmbeddingException when a state is NaN or infinite, or all states are 0
   */
  abstract float[] pool(float[] states, int from, int tokens);

  private static float[] sum(float[] states, int from, int tokens) {
    float[] sum = new float[MiniLm.DIMENSION];
    for (int token = from; token < from + tokens; token++) {
      int row = token * MiniLm.DIMENSION;
      for (int i = 0; i < sum.length; i++) {
        sum[i] += states[row + i];
      }
    }
    return sum;
  }

  private static double squared(float[] sum) {
    double squared = Cosine.of(sum, sum);
    if (!(squared > 0 && squared < Double.POSITIVE_INFINITY)) {
      throw EmbeddingException.notNumbers();
    }
    return squared;
  }
}
