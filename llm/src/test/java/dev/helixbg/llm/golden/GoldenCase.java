package dev.helixbg.llm.golden;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/**
 * Results that an independent implementation computed for a prompt, from {@code
 * golden/expected.json}.
 *
 * @param task label, summary or pair
 * @param prompt text in the chat format, with the names of special tokens
 * @param answer answer that the model was trained to give
 * @param greedyIds tokens of the answer, with its end token; each token is the likeliest
 * @param topIds the eight likeliest tokens after the prompt
 * @param topLogits logits of {@code topIds}
 * @param logits logits of all tokens; only the first cases have them, the others null
 * @param taps by name of an intermediate result, its first eight values at the prompt's last
 *     position; only the first cases have them, the others null
 */
public record GoldenCase(
    String task,
    String prompt,
    @JsonProperty("prompt_ids") int[] promptIds,
    String answer,
    @JsonProperty("greedy_ids") int[] greedyIds,
    @JsonProperty("top_ids") int[] topIds,
    @JsonProperty("top_logits") float[] topLogits,
    float[] logits,
    Map<String, float[]> taps) {

  @Override
  public String toString() {
    return task
        + ": "
        + prompt.substring(prompt.indexOf("user\n"), prompt.lastIndexOf("<|im_end|>"));
  }
}
