package dev.helixbg.embed.encoder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Kinds of integer matrices with 384 inputs and 384 outputs ("squares"). A MiniLM layer has twelve
 * squares: query, key, value, output, four that expand 384 values to the feed-forward's 1,536
 * values, and four that reduce them again.
 *
 * <p>All weights of an output share a step (the float that the integer 1 represents). A square is
 * stored as {@link #PANELS} panels of {@link #PANEL} outputs. Each panel has
 *
 * <ul>
 *   <li>lines of weights: for each output an int with the weights of several inputs, in the order
 *       of {@link #input};
 *   <li>a line of ints: the start values of sums, which compensate for the {@link #zero} that was
 *       added to activations;
 *   <li>a line of floats with the steps;
 *   <li>a line of floats with the biases.
 * </ul>
 */
public enum Square {
  /**
   * Weights of seven bits: the sum of two products with unsigned bytes, at most 2 · 255 · 63, fits
   * into a short.
   */
  BYTES(4, 63, 127, 255, 128),

  /** Weights of up to 16 bits, limited so that sums fit into an int. */
  SHORTS(2, Short.MAX_VALUE, 4095, 4095, 0),

  /** Weights of eight bits, which only VNNI multiplies without overflow. */
  FINE_BYTES(4, 127, 127, 255, 128);

  public static final int SIDE = 384;

  /**
   * Number of outputs of a panel. With this number, a line of the panel fills one cache line, and
   * consecutive lines use all sets of the first-level cache.
   */
  static final int PANEL = 16;

  static final int PANELS = SIDE / PANEL;

  static final int LINE = 4 * PANEL;

  /** Value added to the results of GELU, which are above −0.17, so that none is negative. */
  public static final float GELU_SHIFT = 0.17f;

  private static final int VECTOR = 16;

  final int inAnInt;

  final int lines;

  final int row;

  // Offsets in a panel, in bytes.
  final int starts;
  final int steps;
  final int biases;

  final int panel;

  /** Size of a square, in bytes. */
  public final int size;

  /**
   * Largest integer to which an activation that may be negative is rounded, before {@link #zero} is
   * added.
   */
  final int mostSigned;

  /** Largest integer to which an activation after GELU is rounded. */
  final int mostUnsigned;

  /** Integer that represents 0 among activations that may be negative. */
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

  /**
   * Returns the index of the input that is stored at a place in a row. The inputs that share one
   * int have indices that are 16 apart.
   */
  int input(int place) {
    int inGroup = place % (VECTOR * inAnInt);
    return place - inGroup + VECTOR * (inGroup % inAnInt) + inGroup / inAnInt;
  }

  /**
   * Returns the offset, in bytes, of an output's first weight. {@code output} is the offset of the
   * output's sum in a row of sums, in bytes.
   */
  int weights(int output) {
    return output / LINE * panel + output % LINE;
  }

  /**
   * Rounds a square, which is a part of a matrix, and writes it.
   *
   * @param weights a matrix [inputs, outputs] that contains the square
   * @param at index of the square's first weight
   * @param stride distance between the weights of successive inputs, in floats
   * @param factor multiplier of all weights and biases
   * @param biases 384 biases from {@code biasAt} on; null if there are no biases
   * @param shifts amounts that were added to the 384 inputs so that no input is negative; null if
   *     inputs may be negative
   * @param to a little-endian buffer; {@link #size} bytes are written
   */
  public void pack(
      float[] weights,
      int at,
      int stride,
      float factor,
      float[] biases,
      int biasAt,
      float[] shifts,
      ByteBuffer to) {
    for (int p = 0; p < PANELS; p++) {
      int start = to.position();
      for (int i = 0; i < PANEL; i++) {
        int output = p * PANEL + i;
        float step = step(weights, at + output, stride);
        int sum = 0;
        double shift = 0;
        for (int place = 0; place < SIDE; place++) {
          int weight = Math.round(weights[at + input(place) * stride + output] / step);
          sum += weight;
          shift += shifts == null ? 0 : (double) shifts[input(place)] * weight;
          int group = start + place / inAnInt * LINE + 4 * i;
          if (inAnInt == 4) {
            to.put(group + place % inAnInt, (byte) weight);
          } else {
            to.putShort(group + 2 * (place % inAnInt), (short) weight);
          }
        }
        float bias = biases == null ? 0 : biases[biasAt + output] * factor;
        to.putInt(start + starts + 4 * i, shifts == null ? -zero * sum : 0);
        to.putFloat(start + steps + 4 * i, step * factor);
        to.putFloat(start + this.biases + 4 * i, bias - (float) shift * step * factor);
      }
      to.position(start + panel);
    }
  }

  /**
   * Adds the biases of the other squares to the biases of the first square. The results of all
   * these squares are added up, so each bias still counts once.
   */
  public void gatherBiases(byte[] squares, int count) {
    ByteBuffer all = ByteBuffer.wrap(squares).order(ByteOrder.LITTLE_ENDIAN);
    for (int output = 0; output < SIDE; output++) {
      int at = output / PANEL * panel + biases + output % PANEL * Float.BYTES;
      for (int other = 1; other < count; other++) {
        all.putFloat(at, all.getFloat(at) + all.getFloat(other * size + at));
      }
    }
  }

  /** Returns the step of an output; 1 where all weights are 0. */
  private float step(float[] weights, int at, int stride) {
    float largest = 0;
    double sum = 0;
    for (int input = 0; input < SIDE; input++) {
      float magnitude = Math.abs(weights[at + input * stride]);
      largest = Math.max(largest, magnitude);
      sum += magnitude;
    }
    // Sums fit an int even if each activation is the largest integer and rounding adds half a step
    // per weight.
    double most = (double) Integer.MAX_VALUE / mostUnsigned - SIDE;
    return largest == 0 ? 1 : Math.max(largest / mostWeight, (float) (sum / most));
  }
}
