package dev.helixbg.insight.findings;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import java.util.Set;

/** Near-duplicates and cross-links: the best of each, and how many there are in all. */
final class DuplicatesAndCrossLinks implements PairSink {
  private final InsightSettings settings;

  /** Tells which entries may be in one finding. */
  @FunctionalInterface
  interface PairFilter {
    boolean admits(int a, int b);
  }

  private final int[] topicOf;
  private final ExactCopies copies;
  private final PairFilter filter;
  private final TopPairs nearDuplicates;
  private final TopPairs crossLinks;
  private final Set<Long> declared;
  private long nearDuplicateCount;
  private long crossLinkCount;

  private DuplicatesAndCrossLinks(
      InsightSettings settings,
      int[] topicOf,
      ExactCopies copies,
      Set<Long> declared,
      int[] order,
      PairFilter filter) {
    this.settings = settings;
    this.declared = declared;
    this.topicOf = topicOf;
    this.copies = copies;
    this.filter = filter;
    this.nearDuplicates = new TopPairs(settings.maxNearDuplicates(), order);
    this.crossLinks = new TopPairs(settings.maxCrossLinks(), order);
  }

  /**
   * @param declared pairs of which one links to the other: such a link is no news
   * @param order of the entries, see {@link TopPairs}
   * @param filter which entries may be a pair
   */
  static DuplicatesAndCrossLinks find(
      PairSimilarities pairs,
      int[] topicOf,
      ExactCopies copies,
      Set<Long> declared,
      int[] order,
      InsightSettings settings,
      PairFilter filter) {
    float limit = floor(settings);
    DuplicatesAndCrossLinks all =
        new DuplicatesAndCrossLinks(settings, topicOf, copies, declared, order, filter);
    pairs
        .atLeast(
            limit,
            () -> new DuplicatesAndCrossLinks(settings, topicOf, copies, declared, order, filter))
        .forEach(all::add);
    return all;
  }

  /** No pair that is less similar can be a finding. */
  static float floor(InsightSettings settings) {
    return floatAtMost(Math.min(settings.nearDuplicate(), settings.crossLinkFrom()));
  }

  @Override
  public void accept(int a, int b, float similarity) {
    if (copies.isCopy(a) || copies.isCopy(b) || !filter.admits(a, b)) {
      return;
    }
    if (similarity > settings.nearDuplicate()) {
      nearDuplicateCount++;
      nearDuplicates.offer(a, b, similarity);
    } else if (similarity >= settings.crossLinkFrom()
        && topicOf[a] != topicOf[b]
        && !declared.contains(DeclaredLinks.pair(a, b))) {
      crossLinkCount++;
      crossLinks.offer(a, b, similarity);
    }
  }

  private void add(DuplicatesAndCrossLinks other) {
    nearDuplicateCount += other.nearDuplicateCount;
    crossLinkCount += other.crossLinkCount;
    nearDuplicates.offerAll(other.nearDuplicates);
    crossLinks.offerAll(other.crossLinks);
  }

  TopPairs nearDuplicates() {
    return nearDuplicates;
  }

  TopPairs crossLinks() {
    return crossLinks;
  }

  long nearDuplicateCount() {
    return nearDuplicateCount;
  }

  long crossLinkCount() {
    return crossLinkCount;
  }

  /** The largest float that is not above {@code limit}: no float between them is lost. */
  static float floatAtMost(double limit) {
    float rounded = (float) limit;
    return rounded > limit ? Math.nextDown(rounded) : rounded;
  }
}
