package dev.helixbg.embed.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

final class UnitVectors {
  private UnitVectors() {}

  static float[] random(Random random) {
    float[] vector = new float[VectorStore.DIMENSION];
    double squared = 0;
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) random.nextGaussian();
      squared += vector[i] * vector[i];
    }
    for (int i = 0; i < vector.length; i++) {
      vector[i] /= (float) Math.sqrt(squared);
    }
    return vector;
  }

  static TextKey key(int number) {
    return TextKey.of("model", "text " + number);
  }

  static Map<TextKey, float[]> of(int from, int to) {
    Map<TextKey, float[]> vectors = new LinkedHashMap<>();
    for (int i = from; i < to; i++) {
      vectors.put(key(i), random(new Random(i)));
    }
    return vectors;
  }
}
