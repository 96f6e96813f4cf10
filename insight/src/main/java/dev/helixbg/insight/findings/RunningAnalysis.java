package dev.helixbg.insight.findings;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * The analysis of a KB that changes: each update finds what {@link Analysis#run} would find, bit by
 * bit, but compares only new entries with all. One thread at a time.
 *
 * <p>Between updates it keeps the pairs that are findings or nearly so, and what the distribution
 * is made of: for 10,000 entries some 10 MB. A KB with more close pairs than that is analysed anew
 * each time.
 */
public final class RunningAnalysis {
  /** 48 MB of them. */
  static final int MAX_PAIRS = 4_000_000;

  private final int maxPairs;
  private final int maxDrawn;
  private KnownPairs known;
  private boolean tooManyPairs;
  private float tooManyAbove;

  public RunningAnalysis() {
    this(MAX_PAIRS, KeptPairs.MAX_VECTORS);
  }

  RunningAnalysis(int maxPairs, int maxDrawn) {
    this.maxPairs = maxPairs;
    this.maxDrawn = maxDrawn;
  }

  /**
   * Finds what is worth telling now.
   *
   * @see Analysis#run(List, List, Vectors, PassageVectors, InsightSettings, int) for the parameters
   *     and errors
   */
  public Findings update(
      List<Entry> live,
      List<String> keys,
      Vectors vectors,
      PassageVectors passages,
      InsightSettings settings,
      int threads) {
    Analysis.check(live, keys, vectors);
    float floor = PairHits.floor(settings);
    if (tooManyPairs && tooManyAbove == floor) {
      return Analysis.run(live, keys, vectors, passages, settings, maxDrawn, threads);
    }
    if (known == null || known.floor() != floor) {
      known = new KnownPairs(floor, maxPairs, maxDrawn);
      tooManyPairs = false;
    }
    KnownPairs pairs = known;
    known = null; // until everything is up to date: a failure must not leave half of it
    TextVectors texts = TextVectors.of(vectors, passages);
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      if (pairs.update(keys, vectors, packed, texts, threads)) {
        Findings findings =
            Analysis.of(
                    live, keys, vectors, packed, texts, pairs, settings, threads, TopicPairs.ALL)
                .findings();
        known = pairs;
        return findings;
      }
    }
    tooManyPairs = true;
    tooManyAbove = floor;
    return Analysis.run(live, keys, vectors, passages, settings, maxDrawn, threads);
  }

  /** Forgets everything; the next update compares all with all. */
  public void forget() {
    known = null;
  }
}
