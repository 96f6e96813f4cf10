package dev.helixbg.llm.synthetic;

import dev.helixbg.llm.gguf.GgufWriter.RowSource;
import dev.helixbg.llm.tensor.TensorType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Rows of random weights, their mean 0 and their standard deviation 1/√columns, so that a product
 * with them keeps the size of its input and no activation runs away.
 *
 * <p>Quantised numbers are uniform random bits; only the scales are chosen.
 */
final class RandomRows implements RowSource {
  /** Standard deviation of uniform numbers 0 … 2ⁿ − 1, as a share of 2ⁿ: 1/√12. */
  private static final double UNIFORM_DEVIATION = 1 / Math.sqrt(12);

  private static final int MIDDLE_SCALE = 48;

  private final TensorType type;
  private final double deviation;
  private final SplittableRandom random;

  RandomRows(TensorType type, int columns, SplittableRandom random) {
    this.type = type;
    this.deviation = 1 / Math.sqrt(columns);
    this.random = random;
  }

  @Override
  public void next(byte[] row) {
    random.nextBytes(row);
    ByteBuffer bytes = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < row.length; at += type.blockBytes()) {
      setScales(bytes, at);
    }
  }

  private void setScales(ByteBuffer block, int at) {
    switch (type) {
      case F32 -> block.putFloat(at, (float) (random.nextGaussian() * deviation));
      case Q8_0 -> block.putShort(at, half(deviation / (256 * UNIFORM_DEVIATION)));
      case Q4_K -> setScalesQ4K(block, at);
      case Q6_K -> setScalesQ6K(block, at);
      default -> throw new IllegalArgumentException("no random weights of type " + type);
    }
  }

  /** Weight = d·scale·q − m·minimum, with scale = minimum = 48 and m = 7.5·d: d·48·(q − 7.5). */
  private void setScalesQ4K(ByteBuffer block, int at) {
    double d = deviation / (MIDDLE_SCALE * 16 * UNIFORM_DEVIATION);
    block.putShort(at, half(d));
    block.putShort(at + 2, half(7.5 * d));
    // Scales and minima 0–3 in eight bytes, with the high 2 bits of those of 4–7 on top: 48 is
    // 110000.
    for (int i = 4; i < 12; i++) {
      block.put(at + i, (byte) (MIDDLE_SCALE | MIDDLE_SCALE >> 4 << 6));
    }
    for (int i = 12; i < 16; i++) {
      block.put(at + i, (byte) 0);
    }
  }

  /** Weight = d·scale·(q − 32), with scale = 48. */
  private void setScalesQ6K(ByteBuffer block, int at) {
    for (int i = 0; i < 16; i++) {
      block.put(at + 192 + i, (byte) MIDDLE_SCALE);
    }
    block.putShort(at + 208, half(deviation / (MIDDLE_SCALE * 64 * UNIFORM_DEVIATION)));
  }

  private static short half(double value) {
    return Float.floatToFloat16((float) value);
  }
}
