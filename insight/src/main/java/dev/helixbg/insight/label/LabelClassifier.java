package dev.helixbg.insight.label;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.LabelFeatures.Sparse;
import dev.helixbg.insight.log.EntryText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Labels without a language model: a linear classifier over an entry's vector and words. Its
 * weights, a resource, were fitted to hand-written examples by {@code scripts/train-labels};
 * entries that the user tagged are examples, too, which correct them a little.
 */
public final class LabelClassifier {
  /** Where the weights lie. */
  static final String RESOURCE = "label-weights.tsv";

  /** The resource holds whole numbers of this. */
  static final double UNIT = 1e-4;

  /** What an example of another label should score; that of its own is 1. */
  static final double OTHER = -1.0 / (Label.values().length - 1);

  /**
   * How far ahead of the next label the first must be to be shown as the label. In cross-validation
   * 63 % of the examples are, and 81 % of those rightly.
   */
  static final double SURE = 0.08;

  /** Penalty for what the KB's own tags change: a handful of odd tags must not turn a label. */
  private static final double TAG_PENALTY = 16;

  /** The newest tagged entries count; their number bounds the time, which grows with its cube. */
  private static final int MAX_TAGGED = 400;

  private final LabelFeatures features;
  private final double[][] weights;

  /**
   * @param weights by label, in the order of {@link Label#values()}, and feature
   */
  LabelClassifier(LabelFeatures features, double[][] weights) {
    this.features = features;
    this.weights = weights;
  }

  /**
   * The guesses for every entry.
   *
   * @param entries of a knowledge base, by rising offset
   * @param vectors in their order
   * @return guesses by the entries' keys
   */
  public static Map<String, LabelGuess> guesses(List<NamedEntry> entries, List<float[]> vectors) {
    LabelClassifier shipped = shipped();
    LabelClassifier tuned = shipped.tunedTo(entries, vectors);
    Map<String, LabelGuess> guesses = HashMap.newHashMap(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      EntryText text = entries.get(i).entry().text();
      float[] vector = vectors.get(i);
      // A guess that is compared with a tag must not have seen it.
      LabelClassifier classifier = Label.among(text.tags()).isEmpty() ? tuned : shipped;
      guesses.computeIfAbsent(
          entries.get(i).key(), key -> classifier.guess(text.content(), vector));
    }
    return guesses;
  }

  /** Read once: a daemon labels at each change. */
  private static final class Shipped {
    static final LabelClassifier CLASSIFIER = read();
  }

  /** The classifier that comes with the program. */
  static LabelClassifier shipped() {
    return Shipped.CLASSIFIER;
  }

  private static LabelClassifier read() {
    try (InputStream resource = LabelClassifier.class.getResourceAsStream(RESOURCE)) {
      return parse(new String(resource.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The classifier that the lines of a resource describe. */
  static LabelClassifier parse(String resource) {
    List<String[]> rows =
        resource.lines().filter(line -> !line.startsWith("#")).map(l -> l.split("\t")).toList();
    List<String[]> words = rows.stream().filter(row -> !row[1].isEmpty()).toList();
    double[][] weights = new double[Label.values().length][rows.size()];
    for (int label = 0; label < weights.length; label++) {
      for (int feature = 0; feature < rows.size(); feature++) {
        weights[label][feature] = Integer.parseInt(rows.get(feature)[2 + label]) * UNIT;
      }
    }
    return new LabelClassifier(
        new LabelFeatures(
            rows.size() - words.size() - 1,
            words.stream().map(row -> row[0]).toList(),
            words.stream().mapToDouble(row -> Double.parseDouble(row[1])).toArray()),
        weights);
  }

  /** This classifier, corrected by what it gets wrong about the entries that the user tagged. */
  LabelClassifier tunedTo(List<NamedEntry> entries, List<float[]> vectors) {
    List<Sparse> examples = new ArrayList<>();
    List<double[]> errors = new ArrayList<>();
    for (int i = entries.size() - 1; i >= 0 && examples.size() < MAX_TAGGED; i--) {
      List<Label> tags = Label.among(entries.get(i).entry().text().tags());
      if (tags.isEmpty()) {
        continue;
      }
      Sparse example = features.of(entries.get(i).entry().text().content(), vectors.get(i));
      double[] error = scores(example);
      for (Label label : Label.values()) {
        error[label.ordinal()] = (tags.contains(label) ? 1 : OTHER) - error[label.ordinal()];
      }
      examples.add(example);
      errors.add(error);
    }
    double[][] change =
        RidgeRegression.fit(
            examples, errors.toArray(double[][]::new), features.size(), TAG_PENALTY);
    double[][] tuned = new double[weights.length][];
    for (int label = 0; label < tuned.length; label++) {
      tuned[label] = weights[label].clone();
      for (int i = 0; i < tuned[label].length && change.length > 0; i++) {
        tuned[label][i] += change[label][i];
      }
    }
    return new LabelClassifier(features, tuned);
  }

  /** The best label of one entry, and the next. */
  LabelGuess guess(String content, float[] vector) {
    double[] scores = scores(features.of(content, vector));
    int best = 0;
    int next = 1;
    for (int i = 1; i < scores.length; i++) {
      if (scores[i] > scores[best]) {
        next = best;
        best = i;
      } else if (scores[i] > scores[next]) {
        next = i;
      }
    }
    Label[] labels = Label.values();
    return new LabelGuess(
        LabelGuess.Origin.CLASSIFIER,
        labels[best],
        scores[best],
        labels[next],
        scores[next],
        scores[best] - scores[next] >= SURE,
        false);
  }

  private double[] scores(Sparse example) {
    return Arrays.stream(weights).mapToDouble(example::dot).toArray();
  }
}
