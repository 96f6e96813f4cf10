package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.SIDE;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** Computes the results of the encoder's kernels in doubles, directly from the formulas. */
final class Scalars {
  /**
   * Returns the integer at a place of a row: an unsigned byte or a signed short.
   *
   * @param row offset of the row, in bytes
   */
  static int activation(Square kind, ByteBuffer rows, int row, int place) {
    return kind.inAnInt == 4
        ? Byte.toUnsignedInt(rows.get(row + place))
        : rows.getShort(row + 2 * place);
  }

  /**
   * Returns the weight of an output for the activation at a place.
   *
   * @param at offset of the square, in bytes
   */
  static int weight(Square kind, ByteBuffer squares, int at, int output, int place) {
    int four =
        at
            + output / Square.PANEL * kind.panel
            + place / kind.inAnInt * Square.LINE
            + 4 * (output % Square.PANEL);
    return kind.inAnInt == 4
        ? squares.get(four + place % 4)
        : squares.getShort(four + 2 * (place % 2));
  }

  private Scalars() {}

  /** Returns {@code x · Φ(x)}, where Φ(x) = 1/2 + φ(x) · (x + x³ / 3 + x⁵ / (3 · 5) + …). */
  static double gelu(double x) {
    double magnitude = Math.min(Math.abs(x), 9); // Φ(9) is 1
    double sum = 0;
    double term = magnitude;
    for (int k = 3; term > 1e-20 * sum; k += 2) {
      sum += term;
      term *= magnitude * magnitude / k;
    }
    double above = sum * Math.exp(-magnitude * magnitude / 2) / Math.sqrt(2 * Math.PI);
    return x * (x < 0 ? 0.5 - above : 0.5 + above);
  }

  /**
   * Returns the LayerNorm of a row.
   *
   * @param gain 384 gains, followed by 384 biases
   */
  static double[] normalise(double[] row, float[] gain) {
    double mean = IntStream.range(0, SIDE).mapToDouble(i -> row[i]).sum() / SIDE;
    double squares = 0;
    for (double value : row) {
      squares += (value - mean) * (value - mean);
    }
    double deviation = Math.sqrt(squares / SIDE + 1e-12);
    double[] normal = new double[SIDE];
    for (int i = 0; i < SIDE; i++) {
      normal[i] = (row[i] - mean) / deviation * gain[i] + gain[SIDE + i];
    }
    return normal;
  }

  /**
   * Computes the attention of one query in one head, and writes the result to the head's places of
   * {@code to}.
   *
   * @param from the head's first place in each row
   * @param factor factor of the scores, which are exponents of e
   */
  static void attend(
      double[] query, double[][] keys, double[][] values, int from, double factor, double[] to) {
    double[] scores = new double[keys.length];
    double largest = Double.NEGATIVE_INFINITY;
    for (int token = 0; token < keys.length; token++) {
      for (int i = from; i < from + AttentionCode.HEAD; i++) {
        scores[token] += query[i] * keys[token][i] * factor;
      }
      largest = Math.max(largest, scores[token]);
    }
    double sum = 0;
    for (int token = 0; token < keys.length; token++) {
      double power = Math.exp(scores[token] - largest);
      sum += power;
      for (int i = from; i < from + AttentionCode.HEAD; i++) {
        to[i] += power * values[token][i];
      }
    }
    for (int i = from; i < from + AttentionCode.HEAD; i++) {
      to[i] /= sum;
    }
  }
}
