package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * Factors that smooth the inputs of matrix products, as in SmoothQuant (Xiao et al. 2023). A few
 * channels of MiniLM have large activations, which would make the rounding step large for all other
 * channels. Therefore each channel is multiplied by a factor before rounding, and its weights are
 * divided by the factor.
 *
 * <p>The resource {@code activations} has the largest magnitude of each channel, measured on texts
 * by {@code scripts/measure-activations}: for each layer 384 floats for the layer's input, 384 for
 * the context (the averages of values), 384 for the input of the feed-forward, and 1,536 after
 * GELU, all big-endian.
 */
final class Smoothing {
  private static final String RESOURCE = "activations";
  private static final int WIDTH = 384;
  private static final int WIDE = 4 * WIDTH;

  /**
   * Factor by which the weights of queries and keys are multiplied before they are compared with
   * the weights of values. The factor is below 1, because rounding errors of values change an
   * embedding more than rounding errors of queries and keys.
   */
  private static final float QUERIES_AND_KEYS = 0.25f;

  /**
   * Inputs of a layer's matrix products, in the resource's order. The layer's own input, which is
   * first, is left out.
   */
  enum Input {
    CONTEXT(WIDTH, WIDTH),
    ATTENDED(2 * WIDTH, WIDTH),
    GELU(3 * WIDTH, WIDE);

    private final int from;
    private final int channels;

    Input(int from, int channels) {
      this.from = from;
      this.channels = channels;
    }
  }

  private static final int LAYER = 3 * WIDTH + WIDE;

  /** No smoothing: all factors are 1. */
  static final Smoothing NONE = new Smoothing(null);

  private final float[] activations; // null for no smoothing

  private Smoothing(float[] activations) {
    this.activations = activations;
  }

  /** Returns the factors for the bundled model. */
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

  /**
   * Returns the factor of each channel of an input.
   *
   * @param outputs number of columns of the matrix
   * @param weights the matrix [channels, outputs] that multiplies the input
   */
  float[] factors(int layer, Input input, int outputs, float[] weights) {
    return factors(layer, input.from, largest(weights, input.channels, outputs));
  }

  /**
   * Returns the factor of each channel of a layer's input, given the matrices [384, 384] of
   * queries, keys and values.
   */
  float[] attentionFactors(int layer, float[] query, float[] key, float[] value) {
    float[] largest = largest(value, WIDTH, WIDTH);
    for (float[] matrix : new float[][] {query, key}) {
      float[] other = largest(matrix, WIDTH, WIDTH);
      for (int i = 0; i < WIDTH; i++) {
        largest[i] = Math.max(largest[i], QUERIES_AND_KEYS * other[i]);
      }
    }
    return factors(layer, 0, largest);
  }

  /**
   * Returns factors that give the activations and the weights of a channel the same range, which is
   * the geometric mean of the two ranges.
   */
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

  /** Returns the largest magnitude of each row of a matrix [channels, outputs]. */
  private static float[] largest(float[] weights, int channels, int outputs) {
    float[] largest = new float[channels];
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
