package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.tensor.Tensor;
import java.util.List;

/**
 * The weights of a model on its backend; shapes are rows × columns.
 *
 * @param embedding vocabulary × hidden
 * @param layers layers, in order
 * @param outputNorm normalisation before the output matrix
 * @param output vocabulary × hidden; in small models the same matrix as the embedding
 * @param outputTensor tensor of {@code output} in the file
 */
record Qwen3Weights(
    Matrix embedding, List<Layer> layers, Norm outputNorm, Matrix output, Tensor outputTensor) {

  /**
   * The weights of one layer.
   *
   * @param attentionNorm hidden values
   * @param q queryWidth × hidden
   * @param k kvWidth × hidden
   * @param v kvWidth × hidden
   * @param qNorm headSize values, the same for every head
   * @param kNorm headSize values
   * @param attentionOutput hidden × queryWidth
   * @param feedForwardNorm hidden values
   * @param gate feedForward × hidden
   * @param up feedForward × hidden
   * @param down hidden × feedForward
   */
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
