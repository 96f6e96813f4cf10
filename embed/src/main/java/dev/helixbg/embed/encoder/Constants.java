package dev.helixbg.embed.encoder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Constants that the encoder's machine code reads, each repeated to fill a vector. The fields are
 * the constants' offsets from {@link #ADDRESS}, in bytes.
 */
final class Constants {
  private static final int VECTOR = 32;
  private static final int MOST = 40;
  private static final MemorySegment MEMORY = Arena.global().allocate(MOST * VECTOR, 64);
  private static int count;

  static final long ADDRESS = MEMORY.address();

  static final int MAGNITUDE = of(0x7FFFFFFF);
  private static final int LOW_BYTE = of(0xFF);
  private static final int LOW_SHORT = of(0xFFFF);
  static final int ONE = of(1f);
  static final int MEAN = of(1f / Square.SIDE);
  static final int EPSILON = of(1e-12f);

  /**
   * Lower bound of a row's largest magnitude, which is a divisor. Without the bound, a row of zeros
   * would be divided by 0.
   */
  static final int SMALLEST = of(1e-30f);

  private static final int SIGNED_BYTE = withInverse(Square.BYTES.mostSigned);
  private static final int UNSIGNED_BYTE = withInverse(Square.BYTES.mostUnsigned);
  private static final int SHORT = withInverse(Square.SHORTS.mostSigned);

  /** Float to add to a number: the low bits of the sum are the nearest integer. */
  static final int TO_INTEGER = of(0x1.8p23f);

  private static final int TO_BYTE = of(0x1.8p23f + Square.BYTES.zero);

  /**
   * Lowest exponent of a power of two. With lower exponents, the powers or their products would be
   * subnormal numbers, and computing with these takes a processor a hundred times as long.
   */
  static final int LOWEST = of(-100f);

  // Polynomial for 2^r with |r| ≤ 1/2, interpolated at Chebyshev nodes; the error is below 2 ulp,
  // and the result for r = 0 is exactly 1.
  static final int POWER_1 = of(0.69314719f);
  static final int POWER_2 = of(0.24022108f);
  static final int POWER_3 = of(0.055503571f);
  static final int POWER_4 = of(0.0096760319f);
  static final int POWER_5 = of(0.0013390863f);

  // Half of 1 − erf(|x| / √2) differs by less than 1e-7 from the product of two factors: a
  // polynomial in 1 / (1 + p |x| / √2), and exp(−x² / 2). Source: Abramowitz and Stegun, Handbook
  // of Mathematical Functions, 7.1.26.
  static final int ERF_P = of((float) (0.3275911 / Math.sqrt(2)));
  static final int ERF_1 = of(0.254829592f / 2);
  static final int ERF_2 = of(-0.284496736f / 2);
  static final int ERF_3 = of(1.421413741f / 2);
  static final int ERF_4 = of(-1.453152027f / 2);
  static final int ERF_5 = of(1.061405429f / 2);

  /** Factor that turns x² into the exponent of two for exp(−x² / 2). */
  static final int HALF_LOG2_E = of((float) (-0.5 / Math.log(2)));

  static final int GELU_SHIFT = of(Square.GELU_SHIFT);

  private Constants() {}

  /** Returns the offset of {@link Square#mostSigned}, whose inverse is the next constant. */
  static int signed(Square kind) {
    return kind == Square.SHORTS ? SHORT : SIGNED_BYTE;
  }

  /** Returns the offset of {@link Square#mostUnsigned}, whose inverse is the next constant. */
  static int unsigned(Square kind) {
    return kind == Square.SHORTS ? SHORT : UNSIGNED_BYTE;
  }

  /**
   * Returns the offset of a float that rounds activations that may be negative. The sum of an
   * activation and this float has, in its low bits, the nearest integer plus {@link Square#zero}.
   */
  static int toNumber(Square kind) {
    return kind == Square.SHORTS ? TO_INTEGER : TO_BYTE;
  }

  static int lowPart(Square kind) {
    return kind == Square.SHORTS ? LOW_SHORT : LOW_BYTE;
  }

  private static int withInverse(int value) {
    int at = of((float) value);
    of(1f / value);
    return at;
  }

  private static int of(float value) {
    return of(Float.floatToRawIntBits(value));
  }

  private static int of(int bits) {
    int at = VECTOR * count++;
    for (int i = 0; i < VECTOR; i += Integer.BYTES) {
      MEMORY.set(ValueLayout.JAVA_INT, at + i, bits);
    }
    return at;
  }
}
