package dev.helixbg.embed;

/** Mean of a text's token states, scaled to unit length. */
final class Pooling {

  private Pooling() {}

  /**
   * The vectors of a padded batch.
   *
   * @param states token states [batch, columns, width]
   * @param ids of the texts, of which only the lengths matter
   */
  static float[][] unitVectors(float[] states, int[][] ids, int columns, int width) {
    float[][] vectors = new float[ids.length][];
    for (int i = 0; i < ids.length; i++) {
      vectors[i] = meanOfUnitLength(states, i * columns, ids[i].length, width);
    }
    return vectors;
  }

  /**
   * @param states token states, row after row of {@code width} values
   * @param from index of the text's first token
   * @param tokens of the text, without padding; at least 1
   * @throws EmbeddingException when the states are not numbers
   */
  static float[] meanOfUnitLength(float[] states, int from, int tokens, int width) {
    float[] sum = new float[width];
    for (int token = from; token < from + tokens; token++) {
      int row = token * width;
      for (int i = 0; i < width; i++) {
        sum[i] += states[row + i];
      }
    }
    double squared = Cosine.of(sum, sum);
    if (!(squared > 0 && squared < Double.POSITIVE_INFINITY)) {
      throw new EmbeddingException(
          "the embedding model gave values that are no numbers; it is damaged, or the wrong model:"
              + " replace it, or remove it to use the bundled one");
    }
    float scale = (float) (1 / Math.sqrt(squared));
    for (int i = 0; i < width; i++) {
      sum[i] *= scale;
    }
    return sum;
  }
}
