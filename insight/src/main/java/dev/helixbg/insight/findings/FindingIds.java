package dev.helixbg.insight.findings;

import dev.helixbg.config.Sha256;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Names findings by their content: a kind and the first ten hex digits of the SHA-256 over kind and
 * content. Findings of the same content are numbered from the second on: {@code dup-3f9a01c2d4-2}.
 */
public final class FindingIds {
  static final String RELATION = "rel";
  static final String COPIES = "copies";

  /** Kinds of pairs; decisions of earlier versions name near-duplicates and links. */
  private static final List<String> PAIR_KINDS = List.of(RELATION, "dup", "link");

  private static final int DIGITS = 10;

  private final Map<String, Integer> used = new HashMap<>();

  /** For two things whose order means nothing. */
  String ofPair(String kind, String one, String other) {
    return one.compareTo(other) <= 0 ? of(kind, one, other) : of(kind, other, one);
  }

  /**
   * Lists all ids under which a pair may have been decided on. Earlier versions also reported pairs
   * as near-duplicates and cross-links, with ids of these kinds.
   *
   * @param id of the relation
   * @param keyA of one entry
   * @param keyB of the other
   */
  public static Set<String> allOfPair(String id, String keyA, String keyB) {
    boolean inOrder = keyA.compareTo(keyB) <= 0;
    String one = inOrder ? keyA : keyB;
    String other = inOrder ? keyB : keyA;
    String number = number(id);
    Set<String> aliases = new HashSet<>(Set.of(id));
    for (String kind : PAIR_KINDS) {
      aliases.add(name(kind, one, other) + number);
    }
    return aliases;
  }

  /**
   * Returns the number that tells an id from the first one of the same content, as {@code -2}; may
   * be empty.
   */
  private static String number(String id) {
    int end = id.indexOf('-', id.indexOf('-') + 1);
    return end < 0 ? "" : id.substring(end);
  }

  private static String name(String kind, String... parts) {
    List<String> all = Stream.concat(Stream.of(kind), Stream.of(parts)).toList();
    return kind + "-" + Sha256.of(all).substring(0, DIGITS);
  }

  /** The id of what is described by its parts. */
  public String of(String kind, String... parts) {
    String id = name(kind, parts);
    int uses = used.merge(id, 1, Integer::sum);
    return uses == 1 ? id : id + "-" + uses;
  }
}
