package dev.helixbg.embed;

/** Ways to make one vector of the token states of a sequence. */
enum Pooling {
  /** Mean of the states, scaled to unit length; used for embeddings. */
  UNIT_MEAN {
    @Override
    float[] pool(float[] states, int from, int tokens, int width) {
      float[] sum = sum(states, from, tokens, width);
      float scale = (float) (1 / Math.sqrt(squared(sum)));
      for (int i = 0; i < width; i++) {
        sum[i] *= scale;
      }
      return sum;
    }
  },

  /** The first state; used for the pair judge. */
  FIRST {
    @Override
    float[] pool(float[] states, int from, int tokens, int width) {
      float[] first = sum(states, from, 1, width);
      squared(first);
      return first;
    }
  };

  /**
   * @param states token states, row after row of {@code width} values
   * @param from index of the sequence's first token
   * @param tokens number of tokens of the sequence, without padding; at least 1
   * @throws EmbeddingException when a state is NaN or infinite, or all are 0
   */
  abstract float[] pool(float[] states, int from, int tokens, int width);

  private static float[] sum(float[] states, int from, int tokens, int width) {
    float[] sum = new float[width];
    for (int token = from; token < from + tokens; token++) {
      int row = token * width;
      for (int i = 0; i < width; i++) {
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
