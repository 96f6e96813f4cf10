package dev.helixbg.config;

import java.nio.file.Path;

/**
 * How texts become vectors.
 *
 * @param models folder searched for {@code model.onnx} with {@code tokenizer.json} or {@code
 *     vocab.txt}; without them the bundled model is used
 * @param provider where ONNX Runtime runs the model
 * @param precision of the weights
 * @param maxTokens a longer text is cut there; 8 to 512
 */
public record EmbedSettings(
    Path models, ExecutionProvider provider, Precision precision, int maxTokens) {

  /** Where the model runs. */
  public enum ExecutionProvider {
    /** CoreML where a probe proved it right and faster, else the CPU. */
    AUTO,
    CPU,
    COREML
  }

  /** Of the model's weights. */
  public enum Precision {
    FP32,
    /** Eight-bit matrices: faster, with vectors a little off those of FP32. */
    INT8
  }
}
