package dev.helixbg.insight.findings;

import java.util.List;

/**
 * Everything that one analysis of one KB found: an immutable snapshot, which renderers read and
 * never change.
 *
 * @param entries all live entries by offset
 * @param topics by name
 * @param copies the largest groups first; of each group only the first entry is in other findings
 *     of two entries
 * @param topicOverlaps most similar first, the best 1,000 at most
 * @param misfiled clearest first
 * @param relations best first; twice {@link #listedRelations} at most, so that enough are left when
 *     settled ones are taken out
 */
public record Findings(
    List<NamedEntry> entries,
    List<Topic> topics,
    List<Finding.Copies> copies,
    List<Finding.TopicOverlap> topicOverlaps,
    List<Finding.Misfiled> misfiled,
    List<Finding.Relation> relations) {

  /** How many relations of so many entries the pair judge reads, and a reader is shown. */
  public static int shownRelations(int entries) {
    return Math.clamp(entries / 2 + entries % 2, 50, 1_000);
  }

  /** The same with other relations. */
  public Findings with(List<Finding.Relation> others) {
    return new Findings(entries, topics, copies, topicOverlaps, misfiled, others);
  }

  /** How many relations of so many entries are reported. */
  public static int listedRelations(int entries) {
    return Math.max(200, entries / 2 + entries % 2);
  }

  /** A topic and how many entries it has. */
  public record Topic(String name, int entries) {}

  /** Counts the pairs of entries, which are all compared. */
  public long pairs() {
    return entries.size() * (entries.size() - 1L) / 2;
  }
}
