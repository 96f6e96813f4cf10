package dev.helixbg.config;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** SHA-256 of files, streams and texts, as 64 lower-case hexadecimal digits. */
public final class Sha256 {
  /** A digest that has read nothing. Copying it is ten times as fast as making a new digest. */
  private static final MessageDigest EMPTY;

  static {
    try {
      EMPTY = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private Sha256() {}

  public static MessageDigest start() {
    try {
      return (MessageDigest) EMPTY.clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError("every Java can copy its SHA-256 digest", e);
    }
  }

  public static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  public static String of(Path file) throws IOException {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return of(in);
    }
  }

  public static String of(InputStream in) throws IOException {
    MessageDigest digest = start();
    in.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
    return hex(digest);
  }

  public static String of(byte[] bytes) {
    return HexFormat.of().formatHex(start().digest(bytes));
  }

  public static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Hashes each text together with its length, so that different lists give different hashes. */
  public static String of(List<String> parts) {
    MessageDigest digest = start();
    for (String part : parts) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
      digest.update(bytes);
    }
    return hex(digest);
  }
}
