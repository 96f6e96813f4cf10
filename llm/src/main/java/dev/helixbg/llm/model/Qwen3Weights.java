package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.tensor.Tensor;
import java.util.List;

/**
 * The weights of a model on its backend, with the shapes that {@link Qwen3Tensors} checks.
 *
 * @param output matrix that computes the logits; in small models, it is the same matrix as the
 *     embedding
 * @param outputTensor tensor of {@code output} in the file
 */
record Qwen3Weights(
    Matrix embedding, List<Layer> layers, Norm outputNorm, Matrix output, Tensor outputTensor) {

  record Layer(
      Norm attentionNorm,
      Matrix q,
      Matrix k,
      Matrix v,
      Norm qNorm,
      Norm kNorm,
      Matrix attentionOutput,
      Norm feedForwardNorm,
      Matrix gate,
      Matrix up,
      Matrix down) {}
}
