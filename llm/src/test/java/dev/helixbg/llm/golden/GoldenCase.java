package dev.helixbg.llm.golden;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/**
 * What an independent implementation computed for a prompt (see the golden folder's expected.json).
 *
 * @param task label, summary or pair
 * @param prompt in chat form, special tokens written out
 * @param answer what the model was taught
 * @param greedyIds the answer's tokens, the end token included
 * @param topIds the eight likeliest tokens after the prompt
 * @param topLogits of those
 * @param logits of all tokens; null but in the first cases
 * @param taps the first eight values of the last prompt position, by name; null but in the first
 *     cases
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
