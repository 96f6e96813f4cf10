package dev.helixbg.insight.label;

import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.LabelFeatures.Sparse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Labels entries without a language model, by a linear classifier that reads the vector and the
 * words of an entry. The weights are a resource that {@code scripts/train-labels} fitted to
 * hand-written examples.
 */
public final class LabelClassifier {
  static final String RESOURCE = "label-weights.tsv";

  /** Factor that turns the whole numbers in the resource into weights. */
  static final double UNIT = 1e-4;

  /**
   * Target score, in training, of the labels that an example does not have. The target score of its
   * own label is 1.
   */
  static final double OTHER = -1.0 / (Label.values().length - 1);

  /**
   * The best label is shown only if its score exceeds the second-best score by at least this
   * number. In cross-validation, this holds for 63 % of the examples; 81 % of these get the right
   * label.
   */
  static final double SURE = 0.08;

  private final LabelFeatures features;
  private final double[][] weights;

  /** Makes a classifier with weights by label ({@link Label#values()}), then by feature. */
  LabelClassifier(LabelFeatures features, double[][] weights) {
    this.features = features;
    this.weights = weights;
  }

  /** Returns a guess for each entry, by its key; the vectors are in the order of the entries. */
  public static Map<String, LabelGuess> guesses(
      List<NamedEntry> entries, List<float[]> vectors, int threads) {
    LabelClassifier shipped = shipped();
    List<LabelGuess> all =
        ParallelLoop.map(
            "labels",
            threads,
            entries.size(),
            i -> shipped.guess(entries.get(i).text().content(), vectors.get(i)));
    Map<String, LabelGuess> guesses = HashMap.newHashMap(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      guesses.putIfAbsent(entries.get(i).key(), all.get(i));
    }
    return guesses;
  }

  /**
   * Holder of the classifier, which is thus read only once. A daemon labels entries after every
   * change.
   */
  private static final class Shipped {
    static final LabelClassifier CLASSIFIER = read();
  }

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

  LabelGuess guess(String content, float[] vector) {
    Sparse example = features.of(content, vector);
    double[] scores = Arrays.stream(weights).mapToDouble(example::dot).toArray();
    List<Integer> bestFirst =
        IntStream.range(0, scores.length)
            .boxed()
            .sorted(Comparator.comparingDouble(label -> -scores[label]))
            .toList();
    int best = bestFirst.getFirst();
    return new LabelGuess(
        LabelGuess.Origin.CLASSIFIER,
        Label.values()[best],
        scores[best],
        scores[best] - scores[bestFirst.get(1)] >= SURE);
  }
}
