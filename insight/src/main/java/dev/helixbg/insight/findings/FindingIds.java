package dev.helixbg.insight.findings;

import dev.helixbg.config.Sha256;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Computes ids of findings from their content. An id consists of a kind and the first ten hex
 * digits of the SHA-256 over kind and content. Further findings with the same content are numbered:
 * {@code dup-3f9a01c2d4-2}.
 */
public final class FindingIds {
  static final String RELATION = "rel";
  static final String COPIES = "copies";

  /** Kinds of pairs; decisions of earlier versions use the kinds dup and link. */
  private static final List<String> PAIR_KINDS = List.of(RELATION, "dup", "link");

  private static final int DIGITS = 10;

  private final Map<String, Integer> used = new HashMap<>();

  /** Returns the id of a finding about two things. Both orders of the things give the same id. */
  String ofPair(String kind, String one, String other) {
    return one.compareTo(other) <= 0 ? of(kind, one, other) : of(kind, other, one);
  }

  /**
   * Returns all ids under which the user may have decided on a pair. Earlier versions also reported
   * pairs as near-duplicates and cross-links, with ids of these kinds.
   */
  public static Set<String> allOfPair(String id, String keyA, String keyB) {
    FindingIds unnumbered = new FindingIds();
    return Stream.concat(
            Stream.of(id),
            PAIR_KINDS.stream().map(kind -> unnumbered.ofPair(kind, keyA, keyB) + number(id)))
        .collect(Collectors.toSet());
  }

  /**
   * Returns the suffix of an id, such as {@code -2}, that distinguishes findings with the same
   * content; empty if the id has no suffix.
   */
  private static String number(String id) {
    int end = id.indexOf('-', id.indexOf('-') + 1);
    return end < 0 ? "" : id.substring(end);
  }

  /** Returns the id of a finding with the content {@code parts}. */
  public String of(String kind, String... parts) {
    List<String> all = Stream.concat(Stream.of(kind), Stream.of(parts)).toList();
    String id = kind + "-" + Sha256.of(all).substring(0, DIGITS);
    int uses = used.merge(id, 1, Integer::sum);
    return uses == 1 ? id : id + "-" + uses;
  }
}
