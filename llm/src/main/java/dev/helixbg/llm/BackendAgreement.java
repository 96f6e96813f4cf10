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
 * How near two ways of running a model are, by one prompt.
 *
 * @param sameToken whether the likeliest next token is the same
 * @param places the embedding, all places of all layers, and the logits after the prompt, in the
 *     order of the computation
 */
public record BackendAgreement(boolean sameToken, List<Parting> places) {
  /**
   * More than rounding explains: keys and values have half precision, and the CPU meets prompts of
   * some types with eight-bit activations.
   */
  private static final double BOUND = 5e-2;

  private static final double EMBEDDING_BOUND = 1e-5;

  /** Rows kept of one tap: a long prompt's activations would be gigabytes. */
  private static final int ROWS_COMPARED = 8;

  /**
   * A place at which two ways part: a layer, from 0, and a value of a token.
   *
   * @param difference the largest, as a share of the largest value at this place
   * @param row the token, and {@code column} the value of it, that differ most
   */
  public record Parting(
      int layer, Tap tap, double difference, int row, int column, float actual, float expected) {

    /** Whether the difference is no more than rounding; NaN is more. */
    private boolean isRounding() {
      return difference <= (tap == Tap.EMBEDDING ? EMBEDDING_BOUND : BOUND);
    }
  }

  /** Runs the prompt through both; both are left as they were. */
  public static BackendAgreement between(TextModel tested, TextModel reference, int[] prompt) {
    Trace actual = new Trace();
    Trace expected = new Trace();
    boolean sameToken = actual.run(tested, prompt) == expected.run(reference, prompt);
    Iterator<Place> others = actual.places.values().iterator();
    return new BackendAgreement(
        sameToken,
        expected.places.values().stream().map(place -> parting(place, others.next())).toList());
  }

  /** The first place that differs by more than rounding. */
  public Optional<Parting> firstParting() {
    return places.stream().filter(place -> !place.isRounding()).findFirst();
  }

  /** Whether embedding and logits differ by no more than rounding. */
  public boolean isGood() {
    return places.stream()
        .filter(place -> place.tap == Tap.EMBEDDING || place.tap == Tap.LOGITS)
        .allMatch(Parting::isRounding);
  }

  /** Returns the place of the largest difference; NaN is larger than all. */
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

  /** The first rows that passed a tap. */
  private record Place(Tap tap, int layer, int columns, float[] values) {}

  /** Activations that a model shows while it reads the beginning of a prompt. */
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

    /** Only the first pass is compared; the logits are those of the last. */
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
