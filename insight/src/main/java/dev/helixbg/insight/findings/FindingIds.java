package dev.helixbg.insight.findings;

import dev.helixbg.config.Sha256;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Computes ids of findings: the finding's kind and the first ten hex digits of a SHA-256 hash of
 * its kind and content. If findings have the same content, later findings also get a number, as in
 * {@code rel-3f9a01c2d4-2}.
 */
public final class FindingIds {
  private static final int DIGITS = 10;

  private final Map<String, Integer> used = new HashMap<>();

  /** Returns the id of a finding about two things. Both orders of the things give the same id. */
  String ofPair(String kind, String one, String other) {
    return one.compareTo(other) <= 0 ? of(kind, one, other) : of(kind, other, one);
  }

  public String of(String kind, String... parts) {
    List<String> all = Stream.concat(Stream.of(kind), Stream.of(parts)).toList();
    String id = kind + "-" + Sha256.of(all).substring(0, DIGITS);
    int uses = used.merge(id, 1, Integer::sum);
    return uses == 1 ? id : id + "-" + uses;
  }
}
