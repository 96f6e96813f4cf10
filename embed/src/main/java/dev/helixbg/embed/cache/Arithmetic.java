package dev.helixbg.embed.cache;

/**
 * The kind of arithmetic that computes vectors. Those of two kinds are never compared with each
 * other: a copy of a text would be near to it only, so each kind has keys of its own.
 *
 * @param name of precision and what computes it; the same where the same text gets the same vector
 * @param mask what it changes in the key of a text; nothing for {@link #FP32}
 */
public record Arithmetic(String name, TextKey mask) {
  /** Of ONNX Runtime, on a CPU: the keys of its vectors are those that name texts. */
  public static final Arithmetic FP32 = new Arithmetic("FP32", new TextKey(0, 0));

  /** The one of a name. */
  public static Arithmetic of(String name) {
    return name.equals(FP32.name) ? FP32 : new Arithmetic(name, TextKey.of("arithmetic", name));
  }

  /**
   * The key of a text's vector. The text is hashed once, whatever the arithmetic.
   *
   * @param text its name, from the model's id and what it says
   */
  public TextKey key(TextKey text) {
    return new TextKey(text.high() ^ mask.high(), text.low() ^ mask.low());
  }
}
