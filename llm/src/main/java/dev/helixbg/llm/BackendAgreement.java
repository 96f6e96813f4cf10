package dev.helixbg.llm;

import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.model.Qwen3.TapListener;
import dev.helixbg.llm.model.Qwen3.TapListener.Tap;
import java.util.Set;

/**
 * How near two ways of running a model are, by the logits after one prompt.
 *
 * @param sameToken whether the likeliest next token is the same
 * @param difference the largest between two logits, as a share of the largest logit; NaN if a logit
 *     is NaN
 */
public record BackendAgreement(boolean sameToken, double difference) {
  /**
   * More than rounding explains: keys and values have half precision, and the CPU meets prompts of
   * some types with eight-bit activations.
   */
  private static final double BOUND = 5e-2;

  /** Runs the prompt through both; both are left as they were. */
  public static BackendAgreement between(TextModel tested, TextModel reference, int[] prompt) {
    Logits actual = Logits.of(tested, prompt);
    Logits expected = Logits.of(reference, prompt);
    double largest = 0;
    double worst = 0;
    for (int i = 0; i < expected.values.length; i++) {
      largest = Math.max(largest, Math.abs(expected.values[i]));
      worst = Math.max(worst, Math.abs((double) actual.values[i] - expected.values[i]));
    }
    return new BackendAgreement(actual.token == expected.token, worst == 0 ? 0 : worst / largest);
  }

  /** Whether the logits differ by no more than rounding; NaN is more. */
  public boolean isGood() {
    return difference <= BOUND;
  }

  private record Logits(int token, float[] values) {
    static Logits of(TextModel model, int[] prompt) {
      float[] values = new float[model.model().vocabulary()];
      model
          .model()
          .observe(
              (tap, layer, shown) -> {
                if (tap == Tap.LOGITS) {
                  shown.read(0, values); // those of the last pass stay
                }
              });
      try (Session session = model.session()) {
        GenerationOptions one = new GenerationOptions(1, Set.of());
        int[] answer = model.generate(session, prompt, one, id -> {}, () -> false).tokenIds();
        return new Logits(answer[0], values);
      } finally {
        model.model().observe(TapListener.NONE);
      }
    }
  }
}
