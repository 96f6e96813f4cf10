package dev.helixbg.embed.encoder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A matrix of 384 inputs and 384 outputs in bytes. A MiniLM layer is twelve of them: query, key,
 * value, output, four up to the feed-forward's 1,536 values, four down from them.
 *
 * <p>An output's weights share a step, a 63rd of the largest magnitude: seven bits, so that two
 * products with unsigned bytes, 2 · 255 · 63, fit into a short. Layout: {@link #PANELS} panels of
 * {@link #PANEL} outputs, of each
 *
 * <ul>
 *   <li>96 lines: of each output the weights of four inputs, in the order of {@link #input};
 *   <li>a line of ints: what sums begin with, so that the activations' zero counts as nothing;
 *   <li>a line of floats: the steps;
 *   <li>a line of floats: the biases.
 * </ul>
 */
public final class Square {
  /** Inputs, and outputs. */
  public static final int SIDE = 384;

  /** Outputs of a panel. */
  static final int PANEL = 64;

  static final int PANELS = SIDE / PANEL;

  /** Bytes of a line. */
  static final int LINE = 4 * PANEL;

  /** Lines of weights. */
  static final int FOURS = SIDE / 4;

  // From a panel to what belongs to it.
  static final int STARTS = FOURS * LINE;
  static final int STEPS = STARTS + LINE;
  static final int BIASES = STEPS + LINE;

  /** From a panel to the next. */
  static final int PANEL_BYTES = BIASES + LINE;

  public static final int BYTES = PANELS * PANEL_BYTES;

  /** The byte of an activation that is 0. */
  static final int ZERO = 128;

  /** What is added to activations behind GELU, which is never below −0.17: their byte 0. */
  static final float GELU_SHIFT = 0.17f;

  private static final int LARGEST = 63;

  /** Inputs that change places among each other: four vectors of 16 become bytes of one of ints. */
  private static final int GROUP = 64;

  private static final int VECTOR = 16;

  private Square() {}

  /** The input whose activation is at a place of a row of bytes. */
  static int input(int place) {
    int inGroup = place % GROUP;
    return place - inGroup + VECTOR * (inGroup % 4) + inGroup / 4;
  }

  /**
   * Rounds a matrix.
   *
   * @param weights [inputs, outputs], more than these
   * @param at of the first weight
   * @param stride floats from an input to the next
   * @param factor of all weights and biases
   * @param biases 384 from {@code biasAt} on; null for none
   * @param behindGelu whether its activations are those of GELU, {@link #GELU_SHIFT} larger
   * @param to little-endian; {@link #BYTES} are written
   */
  public static void pack(
      float[] weights,
      int at,
      int stride,
      float factor,
      float[] biases,
      int biasAt,
      boolean behindGelu,
      ByteBuffer to) {
    for (int panel = 0; panel < PANELS; panel++) {
      int start = to.position();
      for (int i = 0; i < PANEL; i++) {
        int output = panel * PANEL + i;
        float step = step(weights, at + output, stride);
        int sum = 0;
        for (int place = 0; place < SIDE; place++) {
          int weight = Math.round(weights[at + input(place) * stride + output] / step);
          sum += weight;
          to.put(start + place / 4 * LINE + 4 * i + place % 4, (byte) weight);
        }
        float bias = biases == null ? 0 : biases[biasAt + output] * factor;
        to.putInt(start + STARTS + 4 * i, behindGelu ? 0 : -ZERO * sum);
        to.putFloat(start + STEPS + 4 * i, step * factor);
        to.putFloat(
            start + BIASES + 4 * i, behindGelu ? bias - GELU_SHIFT * sum * step * factor : bias);
      }
      to.position(start + PANEL_BYTES);
    }
  }

  /** Adds up the biases of squares whose sums are added, into those of the first. */
  public static void gatherBiases(byte[] squares, int count) {
    ByteBuffer all = ByteBuffer.wrap(squares).order(ByteOrder.LITTLE_ENDIAN);
    for (int output = 0; output < SIDE; output++) {
      int at = output / PANEL * PANEL_BYTES + BIASES + output % PANEL * Float.BYTES;
      for (int other = 1; other < count; other++) {
        all.putFloat(at, all.getFloat(at) + all.getFloat(other * BYTES + at));
      }
    }
  }

  /** 1 where all weights are 0. */
  private static float step(float[] weights, int at, int stride) {
    float largest = 0;
    for (int input = 0; input < SIDE; input++) {
      largest = Math.max(largest, Math.abs(weights[at + input * stride]));
    }
    return largest == 0 ? 1 : largest / LARGEST;
  }
}
