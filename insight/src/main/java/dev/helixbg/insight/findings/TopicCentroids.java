package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.Vectors;

/** The centroid of each topic: the mean of its unit vectors, scaled to unit length. */
final class TopicCentroids {
  private final Vectors vectors;
  private final TopicIndex topics;
  private final double[] sums;
  private final double[] lengths;

  TopicCentroids(Vectors vectors, TopicIndex topics) {
    this.vectors = vectors;
    this.topics = topics;
    int dimension = vectors.dimension();
    this.sums = new double[Math.multiplyExact(topics.count(), dimension)];
    this.lengths = new double[topics.count()];
    for (int entry = 0; entry < vectors.count(); entry++) {
      int sum = topics.topicOf()[entry] * dimension;
      for (int k = 0; k < dimension; k++) {
        sums[sum + k] += vectors.values()[entry * dimension + k];
      }
    }
    for (int topic = 0; topic < lengths.length; topic++) {
      double squares = 0;
      for (int k = 0; k < dimension; k++) {
        squares += sums[topic * dimension + k] * sums[topic * dimension + k];
      }
      lengths[topic] = Math.sqrt(squares);
    }
  }

  TopicIndex topics() {
    return topics;
  }

  /** Returns one row for each topic; a topic whose vectors cancel out has a zero vector. */
  Vectors normalised() {
    int dimension = vectors.dimension();
    float[] values = new float[sums.length];
    for (int i = 0; i < values.length; i++) {
      double length = lengths[i / dimension];
      values[i] = length == 0 ? 0 : (float) (sums[i] / length);
    }
    return new Vectors(topics.count(), dimension, values);
  }

  /**
   * Returns the cosine of an entry to the centroid of the others of its topic; 0 if it is alone.
   */
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
