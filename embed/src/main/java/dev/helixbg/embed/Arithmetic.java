package dev.helixbg.embed;

import dev.helixbg.config.Sha256;

/**
 * The kind of arithmetic that computes vectors. Those of two kinds are never compared with each
 * other: a copy of a text would be near to it only, so each kind has keys of its own.
 *
 * @param name of precision and what computes it; the same where the same text gets the same vector
 * @param high half of what it changes in the key of a text; nothing for {@link #FP32}
 * @param low the other half
 */
public record Arithmetic(String name, long high, long low) {
  /** Of ONNX Runtime, on a CPU: the keys of its vectors are those that name texts. */
  public static final Arithmetic FP32 = new Arithmetic("FP32", 0, 0);

  private static final int HEX = 16;

  /** The one of a name. */
  public static Arithmetic of(String name) {
    String hash = Sha256.of("arithmetic " + name);
    return name.equals(FP32.name)
        ? FP32
        : new Arithmetic(
            name,
            Long.parseUnsignedLong(hash, 0, HEX, HEX),
            Long.parseUnsignedLong(hash, HEX, 2 * HEX, HEX));
  }
}
