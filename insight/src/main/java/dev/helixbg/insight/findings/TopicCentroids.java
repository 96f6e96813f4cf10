package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.Vectors;

/**
 * The centroid of each topic: the mean of its unit vectors, scaled to unit length.
 *
 * @param sums sum of the vectors of each topic, one after the other
 * @param normalised one row for each topic; a topic whose vectors cancel out has a zero vector
 */
record TopicCentroids(Vectors vectors, TopicIndex topics, double[] sums, Vectors normalised) {

  static TopicCentroids of(Vectors vectors, TopicIndex topics) {
    int dimension = vectors.dimension();
    double[] sums = new double[Math.multiplyExact(topics.count(), dimension)];
    for (int entry = 0; entry < vectors.count(); entry++) {
      int sum = topics.topicOf()[entry] * dimension;
      for (int k = 0; k < dimension; k++) {
        sums[sum + k] += vectors.values()[entry * dimension + k];
      }
    }
    return new TopicCentroids(vectors, topics, sums, normalised(sums, dimension));
  }

  private static Vectors normalised(double[] sums, int dimension) {
    float[] values = new float[sums.length];
    for (int start = 0; start < sums.length; start += dimension) {
      double squares = 0;
      for (int i = start; i < start + dimension; i++) {
        squares += sums[i] * sums[i];
      }
      double length = Math.sqrt(squares);
      for (int i = start; i < start + dimension; i++) {
        values[i] = length == 0 ? 0 : (float) (sums[i] / length);
      }
    }
    return new Vectors(sums.length / dimension, dimension, values);
  }

  /** Returns an entry's cosine to the centroid of its topic's other entries; 0 without others. */
  double withoutItself(int entry) {
    int dimension = vectors.dimension();
    int sum = topics.topicOf()[entry] * dimension;
    double dot = 0;
    double squares = 0;
    for (int k = 0; k < dimension; k++) {
      double value = vectors.values()[entry * dimension + k];
      double others = sums[sum + k] - value;
      dot += value * others;
      squares += others * others;
    }
    return squares == 0 ? 0 : dot / Math.sqrt(squares);
  }
}
