package dev.helixbg.embed.cache;

import dev.helixbg.config.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Key of a text for one model: the first 128 bits of SHA-256 over the model's id, a zero byte and
 * the text in UTF-8.
 */
public record TextKey(long high, long low) {

  static final int BYTES = 16;

  public static TextKey of(String modelId, String text) {
    MessageDigest digest = Sha256.start();
    digest.update(modelId.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    ByteBuffer hash = ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    return new TextKey(hash.getLong(), hash.getLong());
  }

  // Written by hand, because a record's generated methods are slow at their first call.

  @Override
  public boolean equals(Object other) {
    return other instanceof TextKey key && key.high == high && key.low == low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high);
  }

  public String hex() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
