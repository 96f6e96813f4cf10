package dev.helixbg.insight.findings;

import java.util.List;
import java.util.stream.Stream;

/**
 * All findings of one analysis of one KB, an immutable snapshot.
 *
 * @param entries all live entries, ordered by offset
 * @param topics topics, sorted by name
 * @param copies groups of copies, the largest first; relations name only one entry of a group
 * @param topicOverlaps the most similar first, at most 1,000
 * @param relations the best first; at most twice {@link #listedRelations}, so that enough relations
 *     remain when those with a decision of the user are left out
 */
public record Findings(
    List<NamedEntry> entries,
    List<Topic> topics,
    List<Finding.Copies> copies,
    List<Finding.TopicOverlap> topicOverlaps,
    List<Finding.Relation> relations) {

  /** Returns how many relations the pair judges read, in a KB with this number of entries. */
  public static int shownRelations(int entries) {
    return Math.clamp(Math.ceilDiv(entries, 2), 50, 1_000);
  }

  public Findings with(List<Finding.Relation> others) {
    return new Findings(entries, topics, copies, topicOverlaps, others);
  }

  /** Returns the number of relations that a report on this number of entries lists. */
  public static int listedRelations(int entries) {
    return Math.max(200, Math.ceilDiv(entries, 2));
  }

  public record Topic(String name, int entries) {}

  /** Returns the findings of all kinds. */
  public Stream<Finding> listed() {
    return Stream.of(copies, topicOverlaps, relations).flatMap(List::stream);
  }

  /** Returns the number of all pairs of entries. Every pair is compared. */
  public long pairs() {
    return entries.size() * (entries.size() - 1L) / 2;
  }
}
