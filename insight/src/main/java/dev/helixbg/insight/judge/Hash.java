package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/** 128 bits of SHA-256 in hexadecimal, for naming texts. */
final class Hash {
  private static final int DIGITS = 32;

  private Hash() {}

  static String of(String text) {
    return of(List.of(text));
  }

  /** Each with its length in front, so that no two lists look the same. */
  static String of(List<String> parts) {
    MessageDigest digest = Sha256.start();
    for (String part : parts) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
      digest.update(bytes);
    }
    return Sha256.hex(digest).substring(0, DIGITS);
  }
}
