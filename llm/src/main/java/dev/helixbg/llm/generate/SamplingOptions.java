package dev.helixbg.llm.generate;

/**
 * How the next token is chosen from the logits. The filters work in this order, each on what the
 * one before has left: repetition penalty, top-k, top-p, min-p, temperature, draw.
 *
 * @param temperature the logits are divided by it before the draw; 0 takes the likeliest token
 * @param topK so many of the likeliest tokens stay; 0 means all
 * @param topP the likeliest tokens stay until their probabilities add up to this; 1 means all
 * @param minP tokens stay whose probability is at least this share of the likeliest's; 0 means all
 * @param repetitionPenalty logits of the last {@link #REPETITION_WINDOW} tokens, of prompt and
 *     answer, are divided by it where positive and multiplied where negative; 1 changes nothing
 * @param seed of the draws: the same seed and logits give the same tokens
 */
public record SamplingOptions(
    double temperature, int topK, double topP, double minP, double repetitionPenalty, long seed) {

  /** How many tokens back the repetition penalty looks. */
  public static final int REPETITION_WINDOW = 64;

  /** Always the likeliest token. */
  public static final SamplingOptions GREEDY = new SamplingOptions(0, 0, 1, 0, 1, 0);

  public SamplingOptions {
    require(temperature >= 0 && temperature <= 100, "the temperature", temperature, "0 to 100");
    require(topK >= 0, "top-k", topK, "0 or more");
    require(topP > 0 && topP <= 1, "top-p", topP, "above 0, up to 1");
    require(minP >= 0 && minP <= 1, "min-p", minP, "0 to 1");
    require(
        repetitionPenalty > 0 && repetitionPenalty <= 100,
        "the repetition penalty",
        repetitionPenalty,
        "above 0, up to 100");
  }

  private static void require(boolean holds, String what, Number value, String bounds) {
    if (!holds) {
      throw new IllegalArgumentException(what + " must be " + bounds + ", not " + value);
    }
  }

  /** Whether the choice is the plain maximum of the logits, which a device can take itself. */
  boolean isArgmax() {
    return temperature == 0 && repetitionPenalty == 1;
  }
}
