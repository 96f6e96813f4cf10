package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.PairSink;
import java.util.Arrays;
import java.util.List;

/**
 * Ranks of similarities among all pairs: 1 and the number of pairs that are more similar. Equally
 * similar pairs share a rank.
 */
final class PairRanks implements PairSink {
  /** Distinct, rising. */
  private final float[] asked;

  /** At i the pairs more similar than {@code asked[i - 1]}, but not more than {@code asked[i]}. */
  private final long[] counts;

  private PairRanks(float[] asked) {
    this.asked = asked;
    this.counts = new long[asked.length + 1];
  }

  /** Goes through the pairs once more: of a large KB, hits may be too many to keep. */
  static PairRanks of(PairSource pairs, List<Float> similarities) {
    float[] asked = new float[similarities.size()];
    int distinct = 0;
    for (float similarity : similarities.stream().sorted().distinct().toList()) {
      asked[distinct++] = similarity;
    }
    float[] rising = Arrays.copyOf(asked, distinct);
    PairRanks all = new PairRanks(rising);
    if (distinct > 0) {
      pairs.atLeast(rising[0], () -> new PairRanks(rising)).forEach(all::add);
    }
    return all;
  }

  @Override
  public void accept(int a, int b, float similarity) {
    int found = Arrays.binarySearch(asked, similarity);
    counts[found >= 0 ? found : -found - 1]++;
  }

  private void add(PairRanks other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
  }

  /**
   * @param similarity one of those asked for
   */
  long rank(float similarity) {
    long rank = 1;
    for (int i = Arrays.binarySearch(asked, similarity) + 1; i < counts.length; i++) {
      rank += counts[i];
    }
    return rank;
  }
}
