package dev.helixbg.insight.label;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The features of an entry for {@link LabelClassifier}. The vector shows the subject. The words
 * show the kind of statement: "because", "never", "is missing", a number with a unit.
 *
 * <p>Each feature has an index and a value. First come the values of the vector, then a constant 1,
 * then the inverse document frequencies of the known words and pairs of neighbouring words. These
 * frequencies are scaled to unit length.
 *
 * @param places indices of the known words and pairs of words among {@code weights}
 * @param weights inverse document frequencies of the words
 */
record LabelFeatures(int dimension, Map<String, Integer> places, double[] weights) {
  /** A word, a number, or a sign that notes use instead of a word. */
  private static final Pattern TOKEN = Pattern.compile("[a-z']+|[0-9]+|[→`/%:;]");

  /** Maximum number of characters that are read; a longer text is labelled by its beginning. */
  private static final int MAX_CHARACTERS = 20_000;

  LabelFeatures(int dimension, List<String> words, double[] weights) {
    this(dimension, HashMap.newHashMap(words.size()), weights);
    for (int i = 0; i < words.size(); i++) {
      places.put(words.get(i), i);
    }
  }

  Sparse of(String content, float[] vector) {
    int[] found =
        tokens(content).stream().filter(places::containsKey).mapToInt(places::get).toArray();
    int[] at = new int[dimension + 1 + found.length];
    double[] value = new double[at.length];
    for (int i = 0; i < dimension; i++) {
      at[i] = i;
      value[i] = vector[i];
    }
    at[dimension] = dimension;
    value[dimension] = 1;
    double square = 0;
    for (int word : found) {
      square += weights[word] * weights[word];
    }
    double scale = square == 0 ? 0 : 1 / Math.sqrt(square);
    for (int i = 0; i < found.length; i++) {
      at[dimension + 1 + i] = dimension + 1 + found[i];
      value[dimension + 1 + i] = weights[found[i]] * scale;
    }
    return new Sparse(at, value);
  }

  /** Returns the words and pairs of neighbouring words; all numbers count as the same word. */
  static Set<String> tokens(String content) {
    Set<String> tokens = new LinkedHashSet<>();
    String text = content.substring(0, Math.min(content.length(), MAX_CHARACTERS));
    Matcher matcher = TOKEN.matcher(text.toLowerCase(Locale.ROOT));
    String before = null;
    while (matcher.find()) {
      String token = Character.isDigit(matcher.group().charAt(0)) ? "#" : matcher.group();
      tokens.add(token);
      if (before != null) {
        tokens.add(before + "_" + token);
      }
      before = token;
    }
    return tokens;
  }

  /** Indices and their values. The values at all other indices are zero. */
  record Sparse(int[] at, double[] value) {

    double dot(double[] dense) {
      double sum = 0;
      for (int i = 0; i < at.length; i++) {
        sum += value[i] * dense[at[i]];
      }
      return sum;
    }
  }
}
