package dev.helixbg.insight.findings;

/**
 * Something worth telling the user. Its id survives compaction, renames of other entries and new
 * runs.
 */
public sealed interface Finding {

  /**
   * Stable name, such as {@code dup-3f9a01c2d4}: a kind and ten hex digits over what was found,
   * never over offsets.
   */
  String id();

  /**
   * Two entries that say nearly the same, or two of different topics that are close.
   *
   * @param a the entry with the lower offset
   * @param similarity cosine, as computed from the float vectors
   * @param rank position among all pairs of the KB by similarity, from 1
   * @param rankOfB position of b among all other entries by closeness to a, from 1
   * @param rankOfA position of a among all other entries by closeness to b, from 1
   */
  record Pair(
      String id,
      PairKind kind,
      NamedEntry a,
      NamedEntry b,
      double similarity,
      long rank,
      int rankOfB,
      int rankOfA)
      implements Finding {}

  /** Why a pair was reported. */
  enum PairKind {
    NEAR_DUPLICATE,
    CROSS_LINK
  }

  /**
   * Two topics about the same thing.
   *
   * @param a the topic that sorts first
   * @param similarity cosine of the centroids
   */
  record TopicOverlap(String id, String a, String b, double similarity, int entriesA, int entriesB)
      implements Finding {}

  /**
   * An entry nearer to another topic than to its own.
   *
   * @param own cosine to the centroid of the other entries of its topic
   * @param nearer the topic it is nearest to
   * @param other cosine to that topic's centroid
   */
  record Misfiled(String id, NamedEntry entry, double own, String nearer, double other)
      implements Finding {}
}
