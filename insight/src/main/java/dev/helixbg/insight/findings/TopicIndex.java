package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.Vectors;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The topics of a list of entries, numbered in the order of their names, with the centroid of each:
 * the mean of its unit vectors, scaled to unit length.
 *
 * @param sizes numbers of entries
 * @param centroids one row for each topic; a topic whose vectors cancel out has a zero vector
 */
record TopicIndex(List<String> names, int[] sizes, Vectors centroids) {
  /** {@code vectors} has the unit vector of each entry. */
  static TopicIndex of(List<NamedEntry> entries, Vectors vectors) {
    List<String> names = entries.stream().map(NamedEntry::topic).distinct().sorted().toList();
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    int[] sizes = new int[names.size()];
    int dimension = vectors.dimension();
    double[] sums = new double[Math.multiplyExact(names.size(), dimension)];
    for (int i = 0; i < entries.size(); i++) {
      int topic = numbers.get(entries.get(i).topic());
      sizes[topic]++;
      int sum = topic * dimension;
      for (int k = 0; k < dimension; k++) {
        sums[sum + k] += vectors.values()[i * dimension + k];
      }
    }
    return new TopicIndex(names, sizes, normalised(sums, dimension));
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
}
