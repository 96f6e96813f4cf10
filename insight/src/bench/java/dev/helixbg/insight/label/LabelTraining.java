package dev.helixbg.insight.label;

import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.label.LabelFeatures.Sparse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Fits the weights of {@link LabelClassifier} to labelled examples, and measures how often the
 * classifier is right.
 */
final class LabelTraining {
  /** Minimum number of examples that contain a word or pair of words; rarer ones are not used. */
  private static final int MIN_EXAMPLES = 3;

  /** Penalty on the weights, chosen by cross-validation among 0.3, 1 and 2. */
  private static final double PENALTY = 2;

  private static final int FOLDS = 10;

  /**
   * An entry whose right label is known.
   *
   * @param vector vector of {@code topic + " " + text}, the text that the program embeds
   */
  record Example(Label label, String topic, String text, float[] vector) {}

  /**
   * The quality of guesses.
   *
   * @param right share of right guesses among all guesses
   * @param answered share of the guesses of which the classifier is sure
   * @param rightWhereAnswered share of right guesses among the sure guesses
   */
  record Quality(double right, double answered, double rightWhereAnswered) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%.1f %% of all guesses are right; %.1f %% are sure, and %.1f %% of these are right",
          100 * right,
          100 * answered,
          100 * rightWhereAnswered);
    }
  }

  private LabelTraining() {}

  /**
   * Fits the weights and writes them to a file.
   *
   * @param args paths of three files: the examples for the fit, the examples for the measurement,
   *     and the file to write
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    List<Example> train;
    List<Example> test;
    try (Embedder embedder = model(Path.of("target", "test-cache").toAbsolutePath()).open()) {
      train = read(Path.of(args[0]), embedder);
      test = read(Path.of(args[1]), embedder);
    }
    System.out.println("cross-validation: " + crossValidation(train));
    String weights = fit(train);
    Files.writeString(Path.of(args[2]), weights);
    System.out.println("other code bases: " + quality(LabelClassifier.parse(weights), test));
  }

  /**
   * Returns the bundled embedding model, which computes in fp32.
   *
   * @param cache folder to which the model is unpacked
   */
  static EmbeddingModel model(Path cache) throws IOException {
    Files.createDirectories(cache);
    return EmbeddingModel.locate(
        new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, Precision.FP32, 256), cache, 2);
  }

  /** Reads examples from a file. Each line has a label, a topic and a text, separated by tabs. */
  static List<Example> read(Path file, Embedder embedder) throws IOException, InterruptedException {
    List<String[]> rows = Files.readAllLines(file).stream().map(l -> l.split("\t")).toList();
    Example[] examples = new Example[rows.size()];
    embedder.embed(
        rows.stream().map(row -> row[1] + " " + row[2]).toList(),
        (i, vector) -> {
          String[] row = rows.get(i);
          examples[i] = new Example(Label.titled(row[0]).orElseThrow(), row[1], row[2], vector);
        });
    return List.of(examples);
  }

  /** Measures a classifier on examples that were not used for its fit. */
  static Quality quality(LabelClassifier classifier, List<Example> examples) {
    List<LabelGuess> guesses =
        examples.stream().map(e -> classifier.guess(e.text(), e.vector())).toList();
    return quality(examples, guesses);
  }

  private static Quality quality(List<Example> examples, List<LabelGuess> guesses) {
    double right = 0;
    double answered = 0;
    double both = 0;
    for (int i = 0; i < guesses.size(); i++) {
      boolean good = guesses.get(i).label() == examples.get(i).label();
      right += good ? 1 : 0;
      answered += guesses.get(i).sure() ? 1 : 0;
      both += good && guesses.get(i).sure() ? 1 : 0;
    }
    return new Quality(right / guesses.size(), answered / guesses.size(), both / answered);
  }

  private static Quality crossValidation(List<Example> examples) {
    LabelGuess[] guesses = new LabelGuess[examples.size()];
    for (int fold = 0; fold < FOLDS; fold++) {
      int held = fold;
      LabelClassifier classifier =
          LabelClassifier.parse(
              fit(
                  IntStream.range(0, examples.size())
                      .filter(i -> i % FOLDS != held)
                      .mapToObj(examples::get)
                      .toList()));
      for (int i = held; i < guesses.length; i += FOLDS) {
        guesses[i] = classifier.guess(examples.get(i).text(), examples.get(i).vector());
      }
    }
    return quality(examples, Arrays.asList(guesses));
  }

  /** Returns the text of the resource file with the weights that fit the examples best. */
  static String fit(List<Example> examples) {
    Map<String, Integer> counts = new TreeMap<>();
    for (Example example : examples) {
      LabelFeatures.tokens(example.text()).forEach(token -> counts.merge(token, 1, Integer::sum));
    }
    counts.values().removeIf(count -> count < MIN_EXAMPLES);
    List<String> words = List.copyOf(counts.keySet());
    String[] frequencies =
        words.stream()
            .map(w -> Math.log((double) examples.size() / counts.get(w)))
            .map(idf -> String.format(Locale.ROOT, "%.3f", idf))
            .toArray(String[]::new);
    int dimension = examples.getFirst().vector().length;
    int size = dimension + 1 + words.size();
    LabelFeatures features =
        new LabelFeatures(
            dimension,
            words,
            Arrays.stream(frequencies).mapToDouble(Double::parseDouble).toArray());
    List<Sparse> inputs = examples.stream().map(e -> features.of(e.text(), e.vector())).toList();
    double[][] targets = new double[examples.size()][Label.values().length];
    for (int i = 0; i < targets.length; i++) {
      Arrays.fill(targets[i], LabelClassifier.OTHER);
      targets[i][examples.get(i).label().ordinal()] = 1;
    }
    double[][] weights = RidgeRegression.fit(inputs, targets, size, PENALTY);

    List<String> lines = new ArrayList<>();
    lines.add(
        "# Weights of LabelClassifier, made by scripts/train-labels. A line: the feature (a place"
            + " of");
    lines.add(
        "# the vector, a constant one, words), its inverse document frequency if it is words, and"
            + " its");
    lines.add("# weight for each label in 1/10000: " + Arrays.toString(Label.values()));
    for (int feature = 0; feature < size; feature++) {
      int word = feature - dimension - 1;
      StringBuilder line = new StringBuilder();
      line.append(word >= 0 ? words.get(word) : word == -1 ? "constant" : "v" + feature);
      line.append('\t').append(word >= 0 ? frequencies[word] : "");
      for (double[] weight : weights) {
        line.append('\t').append(Math.round(weight[feature] / LabelClassifier.UNIT));
      }
      lines.add(line.toString());
    }
    return String.join("\n", lines) + "\n";
  }
}
