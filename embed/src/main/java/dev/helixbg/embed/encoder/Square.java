package dev.helixbg.embed.encoder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A matrix of 384 inputs and 384 outputs in whole numbers, by the numbers' kind. A MiniLM layer is
 * twelve of them: query, key, value, output, four up to the feed-forward's 1,536 values, four down
 * from them.
 *
 * <p>An output's weights share a step. Layout: {@link #PANELS} panels of {@link #PANEL} outputs, of
 * each
 *
 * <ul>
 *   <li>lines: of each output the weights of as many inputs as an int holds, in the order of {@link
 *       #input};
 *   <li>a line of ints: what sums begin with, so that the activations' zero counts as nothing;
 *   <li>a line of floats: the steps;
 *   <li>a line of floats: the biases.
 * </ul>
 */
public enum Square {
  /**
   * Weights of seven bits, so that two products with unsigned bytes, 2 · 255 · 63, fit into a
   * short.
   */
  BYTES(4, 63, 127, 255, 128),

  /** Weights of up to 16 bits, as fine as sums allow that always fit into an int. */
  SHORTS(2, Short.MAX_VALUE, 4095, 4095, 0);

  /** Inputs, and outputs. */
  public static final int SIDE = 384;

  /** Outputs of a panel. */
  static final int PANEL = 64;

  static final int PANELS = SIDE / PANEL;

  /** Bytes of a line. */
  static final int LINE = 4 * PANEL;

  /** Shift added to activations behind GELU, which is never below −0.17: their number 0. */
  static final float GELU_SHIFT = 0.17f;

  private static final int VECTOR = 16;

  /** Numbers of an int. */
  final int inAnInt;

  /** Lines of weights. */
  final int lines;

  /** Bytes of a row of activations. */
  final int row;

  // From a panel to what belongs to it.
  final int starts;
  final int steps;
  final int biases;

  /** Bytes from a panel to the next. */
  final int panel;

  /** Bytes of a square. */
  public final int size;

  /** Largest number of an activation that may be negative, less {@link #zero}. */
  final int mostSigned;

  /** Largest integer for an activation after GELU. */
  final int mostUnsigned;

  /** The number of an activation that is 0. */
  final int zero;

  private final int mostWeight;

  Square(int inAnInt, int mostWeight, int mostSigned, int mostUnsigned, int zero) {
    this.inAnInt = inAnInt;
    this.mostWeight = mostWeight;
    this.mostSigned = mostSigned;
    this.mostUnsigned = mostUnsigned;
    this.zero = zero;
    lines = SIDE / inAnInt;
    row = 4 * lines;
    starts = lines * LINE;
    steps = starts + LINE;
    biases = steps + LINE;
    panel = biases + LINE;
    size = panel * PANELS;
  }

  /** Index of the input at a position of a row, in which several vectors of 16 share each int. */
  int input(int place) {
    int inGroup = place % (VECTOR * inAnInt);
    return place - inGroup + VECTOR * (inGroup % inAnInt) + inGroup / inAnInt;
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
   * @param to little-endian; {@link #size} bytes are written
   */
  public void pack(
      float[] weights,
      int at,
      int stride,
      float factor,
      float[] biases,
      int biasAt,
      boolean behindGelu,
      ByteBuffer to) {
    for (int p = 0; p < PANELS; p++) {
      int start = to.position();
      for (int i = 0; i < PANEL; i++) {
        int output = p * PANEL + i;
        float step = step(weights, at + output, stride);
        int sum = 0;
        for (int place = 0; place < SIDE; place++) {
          int weight = Math.round(weights[at + input(place) * stride + output] / step);
          sum += weight;
          int group = start + place / inAnInt * LINE + 4 * i;
          if (this == BYTES) {
            to.put(group + place % inAnInt, (byte) weight);
          } else {
            to.putShort(group + 2 * (place % inAnInt), (short) weight);
          }
        }
        float bias = biases == null ? 0 : biases[biasAt + output] * factor;
        to.putInt(start + starts + 4 * i, behindGelu ? 0 : -zero * sum);
        to.putFloat(start + steps + 4 * i, step * factor);
        to.putFloat(
            start + this.biases + 4 * i,
            behindGelu ? bias - GELU_SHIFT * sum * step * factor : bias);
      }
      to.position(start + panel);
    }
  }

  /** Adds up the biases of squares whose sums are added, into those of the first. */
  public void gatherBiases(byte[] squares, int count) {
    ByteBuffer all = ByteBuffer.wrap(squares).order(ByteOrder.LITTLE_ENDIAN);
    for (int output = 0; output < SIDE; output++) {
      int at = output / PANEL * panel + biases + output % PANEL * Float.BYTES;
      for (int other = 1; other < count; other++) {
        all.putFloat(at, all.getFloat(at) + all.getFloat(other * size + at));
      }
    }
  }

  /** 1 where all weights are 0. */
  private float step(float[] weights, int at, int stride) {
    float largest = 0;
    double sum = 0;
    for (int input = 0; input < SIDE; input++) {
      float magnitude = Math.abs(weights[at + input * stride]);
      largest = Math.max(largest, magnitude);
      sum += magnitude;
    }
    // No sum of the largest activations leaves an int, though each weight is half a step off.
    double most = (double) Integer.MAX_VALUE / mostUnsigned - SIDE;
    return largest == 0 ? 1 : Math.max(largest / mostWeight, (float) (sum / most));
  }
}
