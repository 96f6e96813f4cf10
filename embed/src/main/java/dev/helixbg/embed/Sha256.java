package dev.helixbg.embed;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 in lower-case hexadecimal. */
final class Sha256 {

  private static final int BUFFER_BYTES = 1 << 17;

  private Sha256() {}

  static String of(Path file) throws IOException {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return of(in);
    }
  }

  static String of(InputStream in) throws IOException {
    MessageDigest digest = digest();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int read; (read = in.read(buffer)) >= 0; ) {
      digest.update(buffer, 0, read);
    }
    return hex(digest);
  }

  static String of(String text) {
    MessageDigest digest = digest();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return hex(digest);
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
