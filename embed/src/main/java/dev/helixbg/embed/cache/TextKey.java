package dev.helixbg.embed.cache;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.Arithmetic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Names a text as one model sees it: the first 128 bits of SHA-256 over the model's id, a zero byte
 * and the text in UTF-8. {@link #by} makes the key of its vector of that.
 */
public record TextKey(long high, long low) {

  /** Bytes of a key in a file. */
  static final int BYTES = 16;

  private static final HexFormat HEX = HexFormat.of();

  public static TextKey of(String modelId, String text) {
    MessageDigest digest = Sha256.start();
    digest.update(modelId.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    ByteBuffer hash = ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    return new TextKey(hash.getLong(), hash.getLong());
  }

  /** The key of the text's vector. The text is hashed once, whatever the arithmetic. */
  public TextKey by(Arithmetic arithmetic) {
    return new TextKey(high ^ arithmetic.high(), low ^ arithmetic.low());
  }

  // Written out: a young JVM takes long to make what a record has by itself.

  @Override
  public boolean equals(Object other) {
    return other instanceof TextKey key && key.high == high && key.low == low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high);
  }

  /** 32 lower-case hexadecimal digits. */
  public String hex() {
    return HEX.toHexDigits(high) + HEX.toHexDigits(low);
  }
}
