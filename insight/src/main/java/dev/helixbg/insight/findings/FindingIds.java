package dev.helixbg.insight.findings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.Sha256;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;

/**
 * Names findings by their content: a kind and the first ten hex digits of the SHA-256 over kind and
 * content. Findings of the same content, such as the pairs of three identical entries, are numbered
 * from the second on: {@code dup-3f9a01c2d4-2}.
 */
final class FindingIds {
  private static final int DIGITS = 10;

  private final Map<String, Integer> used = new HashMap<>();

  /** For two things whose order means nothing. */
  String ofPair(String kind, String one, String other) {
    return one.compareTo(other) <= 0 ? of(kind, one, other) : of(kind, other, one);
  }

  String of(String kind, String... parts) {
    MessageDigest sha256 = Sha256.start();
    add(sha256, kind);
    for (String part : parts) {
      add(sha256, part);
    }
    String id = kind + "-" + Sha256.hex(sha256).substring(0, DIGITS);
    int uses = used.merge(id, 1, Integer::sum);
    return uses == 1 ? id : id + "-" + uses;
  }

  /** With its length in front, so that no two lists of parts look the same. */
  private static void add(MessageDigest digest, String part) {
    byte[] bytes = part.getBytes(UTF_8);
    digest.update((bytes.length + ":").getBytes(UTF_8));
    digest.update(bytes);
  }
}
