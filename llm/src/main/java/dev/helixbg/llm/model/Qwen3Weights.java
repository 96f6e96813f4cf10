package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.tensor.Tensor;
import java.util.List;

/**
 * The weights of a model as its backend sees them; shapes are rows × columns.
 *
 * @param embedding vocabulary × hidden
 * @param layers in order
 * @param outputNorm before the output matrix
 * @param output vocabulary × hidden; in small models the embedding itself
 * @param outputTensor where {@code output} lies in the file
 */
record Qwen3Weights(
    Matrix embedding, List<Layer> layers, Norm outputNorm, Matrix output, Tensor outputTensor) {

  /**
   * One block.
   *
   * @param attentionNorm hidden
   * @param q queryWidth × hidden
   * @param k kvWidth × hidden
   * @param v kvWidth × hidden
   * @param qNorm headSize, the same for every head
   * @param kNorm headSize
   * @param attentionOutput hidden × queryWidth
   * @param feedForwardNorm hidden
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
