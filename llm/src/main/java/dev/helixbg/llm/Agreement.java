package dev.helixbg.llm;

import dev.helixbg.llm.generate.GenerationOptions;
import dev.helixbg.llm.generate.Sampling;
import dev.helixbg.llm.model.Taps;
import dev.helixbg.llm.model.Taps.Tap;
import java.util.Set;

/**
 * How near two ways of running a model are, by one prompt.
 *
 * @param embedding the largest difference in the first row of the embedding, as a share of its
 *     largest value
 * @param logits the same of the logits after the prompt
 * @param sameToken whether the likeliest next token is the same
 */
public record Agreement(double embedding, double logits, boolean sameToken) {
  /**
   * More than rounding explains: keys and values have half precision, and the CPU meets prompts of
   * some types with eight-bit activations.
   */
  private static final double LOGIT_BOUND = 5e-2;

  private static final double EMBEDDING_BOUND = 1e-5;

  /** Runs the prompt through both; both are left as they were. */
  public static Agreement between(TextModel tested, TextModel reference, int[] prompt) {
    Seen actual = new Seen();
    Seen expected = new Seen();
    int token = actual.run(tested, prompt);
    int wanted = expected.run(reference, prompt);
    return new Agreement(
        difference(actual.embedding, expected.embedding),
        difference(actual.logits, expected.logits),
        token == wanted);
  }

  /** Whether the differences are no more than rounding. */
  public boolean isGood() {
    return embedding <= EMBEDDING_BOUND && logits <= LOGIT_BOUND;
  }

  /** What a model shows of itself while it reads a prompt. */
  private static final class Seen {
    private float[] embedding;
    private float[] logits;

    int run(TextModel model, int[] prompt) {
      GenerationOptions one = new GenerationOptions(1, Sampling.GREEDY, Set.of());
      model
          .model()
          .observe(
              (tap, layer, values) -> {
                if (tap == Tap.EMBEDDING && embedding == null) {
                  embedding = new float[values.columns()];
                  values.read(0, embedding);
                } else if (tap == Tap.LOGITS) {
                  logits = new float[values.columns()];
                  values.read(0, logits);
                }
              });
      try (Session session = model.session()) {
        return model.generate(session, prompt, one, id -> {}, () -> false).tokenIds()[0];
      } finally {
        model.model().observe(Taps.NONE);
      }
    }
  }

  private static double difference(float[] actual, float[] expected) {
    double largest = 0;
    double worst = 0;
    for (int i = 0; i < expected.length; i++) {
      largest = Math.max(largest, Math.abs(expected[i]));
      double off = Math.abs((double) actual[i] - expected[i]);
      worst = off > worst || Double.isNaN(off) ? off : worst;
    }
    return worst == 0 ? 0 : worst / largest;
  }
}
