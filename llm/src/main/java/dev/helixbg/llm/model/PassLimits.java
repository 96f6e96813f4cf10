package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.KvShape.Storage;

/**
 * How large a model's buffers are.
 *
 * @param context the most positions of a sequence; the model's own limit holds too
 * @param rows the most tokens of one pass
 * @param wanted the most rows of one pass whose logits are wanted
 * @param cacheStorage how keys and values are stored
 */
public record PassLimits(int context, int rows, int wanted, Storage cacheStorage) {
  public PassLimits {
    if (context < 1 || rows < 1 || wanted < 1 || wanted > rows) {
      throw new IllegalArgumentException(
          "context %d, rows %d, wanted %d".formatted(context, rows, wanted));
    }
  }
}
