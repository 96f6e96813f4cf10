package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.Vectors;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The topics of a list of entries, numbered in the order of their names, with the centroid of each:
 * the mean of its unit vectors, scaled to unit length.
 *
 * @param vectors unit vectors of the entries
 * @param sums sums of the topics' vectors, one sum after the other
 * @param centroids one row for each topic; a topic whose vectors cancel out has a zero vector
 */
record TopicIndex(
    List<String> names,
    int[] topicOf,
    int[] sizes,
    Vectors vectors,
    double[] sums,
    Vectors centroids) {

  static TopicIndex of(List<NamedEntry> entries, Vectors vectors) {
    List<String> names = entries.stream().map(NamedEntry::topic).distinct().sorted().toList();
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    int[] topicOf = new int[entries.size()];
    int[] sizes = new int[names.size()];
    int dimension = vectors.dimension();
    double[] sums = new double[Math.multiplyExact(names.size(), dimension)];
    for (int i = 0; i < topicOf.length; i++) {
      topicOf[i] = numbers.get(entries.get(i).topic());
      sizes[topicOf[i]]++;
      int sum = topicOf[i] * dimension;
      for (int k = 0; k < dimension; k++) {
        sums[sum + k] += vectors.values()[i * dimension + k];
      }
    }
    return new TopicIndex(names, topicOf, sizes, vectors, sums, normalised(sums, dimension));
  }

  int count() {
    return names.size();
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

  /** Returns an entry's cosine to the centroid of its topic's other entries; 0 if none exist. */
  double withoutItself(int entry) {
    int dimension = vectors.dimension();
    int sum = topicOf[entry] * dimension;
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
