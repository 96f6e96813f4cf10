package dev.helixbg.llm;

import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.model.Qwen3.TapListener;
import dev.helixbg.llm.model.Qwen3.TapListener.Tap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A comparison of two backends that run the same model on one prompt.
 *
 * @param sameToken whether both backends find the same likeliest next token
 * @param places for each tap (compared intermediate result) the value that differs most, in order
 *     of computation: the embedding, all taps of all layers, and the logits after the prompt
 */
public record BackendAgreement(boolean sameToken, List<Parting> places) {
  /**
   * Maximum relative difference that rounding can explain. Backends round keys and values to half
   * precision. For some types of weights, the CPU also rounds a prompt's activations to eight bits.
   */
  private static final double BOUND = 5e-2;

  private static final double EMBEDDING_BOUND = 1e-5;

  /** Maximum number of a prompt's tokens that are compared. All of them could take gigabytes. */
  private static final int ROWS_COMPARED = 8;

  /**
   * The value that differs most between the two backends, at one tap (intermediate result) of one
   * layer.
   *
   * @param difference the difference, divided by the largest expected value at this tap
   * @param row index of the token in the prompt; 0 for logits
   * @param column index of the value in the token's row
   */
  public record Parting(
      int layer, Tap tap, double difference, int row, int column, float actual, float expected) {

    /** Returns whether rounding can explain the difference; false for NaN. */
    private boolean isRounding() {
      return difference <= (tap == Tap.EMBEDDING ? EMBEDDING_BOUND : BOUND);
    }
  }

  public static BackendAgreement between(TextModel tested, TextModel reference, int[] prompt) {
    Trace actual = new Trace();
    Trace expected = new Trace();
    boolean sameToken = actual.run(tested, prompt) == expected.run(reference, prompt);
    Iterator<Place> others = actual.places.values().iterator();
    return new BackendAgreement(
        sameToken,
        expected.places.values().stream().map(place -> parting(place, others.next())).toList());
  }

  /** Returns the first difference that rounding cannot explain. */
  public Optional<Parting> firstParting() {
    return places.stream().filter(place -> !place.isRounding()).findFirst();
  }

  /** Returns whether the embedding and the logits differ only by rounding. */
  public boolean isGood() {
    return places.stream()
        .filter(place -> place.tap == Tap.EMBEDDING || place.tap == Tap.LOGITS)
        .allMatch(Parting::isRounding);
  }

  /** Returns the value that differs most at one tap; NaN counts as the largest difference. */
  private static Parting parting(Place expected, Place actual) {
    double largest = 0;
    double worst = 0;
    int at = 0;
    for (int i = 0; i < expected.values.length; i++) {
      largest = Math.max(largest, Math.abs(expected.values[i]));
      double off = Math.abs((double) actual.values[i] - expected.values[i]);
      if (off > worst || Double.isNaN(off) && !Double.isNaN(worst)) {
        worst = off;
        at = i;
      }
    }
    return new Parting(
        expected.layer,
        expected.tap,
        worst == 0 ? 0 : worst / largest,
        at / expected.columns,
        at % expected.columns,
        actual.values[at],
        expected.values[at]);
  }

  private record Place(Tap tap, int layer, int columns, float[] values) {}

  private static final class Trace {
    private final Map<List<Object>, Place> places = new LinkedHashMap<>();
    private int tokens;

    int run(TextModel model, int[] prompt) {
      tokens = prompt.length;
      GenerationOptions one = new GenerationOptions(1, Set.of());
      model.model().observe(this::note);
      try (Session session = model.session()) {
        return model.generate(session, prompt, one, id -> {}, () -> false).tokenIds()[0];
      } finally {
        model.model().observe(TapListener.NONE);
      }
    }

    /** Keeps the activations of the first pass, but the logits of the last pass. */
    private void note(Tap tap, int layer, Activations values) {
      List<Object> key = List.of(tap, layer);
      if (tap == Tap.LOGITS) {
        places.remove(key);
      } else if (places.containsKey(key)) {
        return;
      }
      int rows = Math.min(Math.min(values.rows(), tokens), tap == Tap.LOGITS ? 1 : ROWS_COMPARED);
      float[] read = new float[rows * values.columns()];
      float[] row = new float[values.columns()];
      for (int i = 0; i < rows; i++) {
        values.read(i, row);
        System.arraycopy(row, 0, read, i * row.length, row.length);
      }
      places.put(key, new Place(tap, layer, values.columns(), read));
    }
  }
}
