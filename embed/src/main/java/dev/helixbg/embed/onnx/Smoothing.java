package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * Factors that smooth the inputs of matrix products, as in SmoothQuant (Xiao et al. 2023). A few
 * channels of MiniLM have large activations, which would make the rounding step large for all other
 * channels. Therefore each channel is multiplied by a factor, and the channel's weights are divided
 * by the factor.
 *
 * <p>The resource {@code activations} has the largest magnitude of each channel, measured on texts
 * by {@code scripts/measure-activations}: for each layer 384 floats for the layer's input, 384 for
 * the context (the averages of values), 384 for the input of the feed-forward, and 1,536 after
 * GELU, all big-endian.
 *
 * @param activations the resource's numbers; null for no smoothing
 */
record Smoothing(float[] activations) {
  private static final String RESOURCE = "activations";
  private static final int WIDTH = 384;

  /**
   * Weight of rounding errors of queries and keys. Rounding errors of values have the weight 1,
   * because they change an embedding more.
   */
  private static final float QUERIES_AND_KEYS = 0.25f;

  /** Inputs of matrix products, except the layer's own input, in the order of the resource. */
  enum Input {
    CONTEXT(WIDTH),
    ATTENDED(2 * WIDTH),
    GELU(3 * WIDTH);

    private final int from;

    Input(int from) {
      this.from = from;
    }
  }

  private static final int LAYER = 7 * WIDTH;

  static final Smoothing NONE = new Smoothing(null);

  static Smoothing bundled() throws IOException {
    try (InputStream in = Smoothing.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IOException("the resource " + RESOURCE + " is missing: reinstall helix-bg");
      }
      FloatBuffer data = ByteBuffer.wrap(in.readAllBytes()).asFloatBuffer();
      float[] activations = new float[data.remaining()];
      data.get(activations);
      return new Smoothing(activations);
    }
  }

  float[] factors(int layer, Input input, int outputs, float[] weights) {
    return factors(layer, input.from, largest(weights, outputs));
  }

  /** Returns the factors of a layer's input for the matrices of queries, keys and values. */
  float[] attentionFactors(int layer, float[] query, float[] key, float[] value) {
    float[] largest = largest(value, WIDTH);
    for (float[] matrix : new float[][] {query, key}) {
      float[] other = largest(matrix, WIDTH);
      for (int i = 0; i < WIDTH; i++) {
        largest[i] = Math.max(largest[i], QUERIES_AND_KEYS * other[i]);
      }
    }
    return factors(layer, 0, largest);
  }

  private float[] factors(int layer, int from, float[] largestWeights) {
    float[] factors = ones(largestWeights.length);
    for (int i = 0; activations != null && i < factors.length; i++) {
      float activation = activations[layer * LAYER + from + i];
      if (activation > 0 && largestWeights[i] > 0) {
        factors[i] = (float) Math.sqrt(largestWeights[i] / activation);
      }
    }
    return factors;
  }

  private static float[] largest(float[] weights, int outputs) {
    float[] largest = new float[weights.length / outputs];
    for (int i = 0; i < weights.length; i++) {
      largest[i / outputs] = Math.max(largest[i / outputs], Math.abs(weights[i]));
    }
    return largest;
  }

  /** Divides each row of a matrix [channels, outputs] by its channel's factor, in place. */
  static void divideInputs(float[] weights, int outputs, float[] factors) {
    for (int i = 0; i < weights.length; i++) {
      weights[i] /= factors[i / outputs];
    }
  }

  /** Multiplies each column of a matrix by its output's factor, in place. */
  static void multiplyOutputs(float[] weights, float[] factors) {
    for (int i = 0; i < weights.length; i++) {
      weights[i] *= factors[i % factors.length];
    }
  }

  static float[] ones(int count) {
    float[] ones = new float[count];
    Arrays.fill(ones, 1);
    return ones;
  }
}
