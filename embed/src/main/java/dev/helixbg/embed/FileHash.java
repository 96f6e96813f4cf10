package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;

/** SHA-256 of files and texts, in lower-case hexadecimal. */
final class FileHash {

  private static final int BUFFER_BYTES = 1 << 17;

  private FileHash() {}

  static String of(Path file) throws IOException {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return of(in);
    }
  }

  static String of(InputStream in) throws IOException {
    MessageDigest digest = Sha256.start();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int read; (read = in.read(buffer)) >= 0; ) {
      digest.update(buffer, 0, read);
    }
    return Sha256.hex(digest);
  }

  static String of(String text) {
    MessageDigest digest = Sha256.start();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return Sha256.hex(digest);
  }
}
