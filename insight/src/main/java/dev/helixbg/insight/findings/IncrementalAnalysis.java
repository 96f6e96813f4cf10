package dev.helixbg.insight.findings;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.findings.PairSimilarities.ScannedPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * The analysis of a KB that changes: each update finds what {@link Analysis#run} would find, bit by
 * bit, but compares only new entries with all, and those whose pairs make the distribution with
 * each other. One thread at a time.
 *
 * <p>Between updates it keeps the pairs that are findings or nearly so. A KB with more close pairs
 * than may be kept is analysed anew each time.
 */
public final class IncrementalAnalysis {
  /** 48 MB of them. */
  static final int MAX_PAIRS = 4_000_000;

  private final int maxPairs;
  private final int maxDrawn;
  private IncrementalPairs known;
  private boolean tooManyPairs;
  private float tooManyAbove;

  public IncrementalAnalysis() {
    this(MAX_PAIRS, SimilarityDistribution.MAX_DRAWN);
  }

  /**
   * @param maxPairs that are kept; of more, all are compared whenever they are needed
   * @param maxDrawn entries whose pairs make the distribution
   */
  IncrementalAnalysis(int maxPairs, int maxDrawn) {
    this.maxPairs = maxPairs;
    this.maxDrawn = maxDrawn;
  }

  /**
   * Finds what is worth telling now.
   *
   * @see Analysis#run(List, Vectors, PassageVectors, InsightSettings, int) for the parameters and
   *     errors
   */
  public Findings update(
      List<NamedEntry> entries,
      Vectors vectors,
      PassageVectors passages,
      InsightSettings settings,
      int threads) {
    Analysis.check(entries, vectors);
    List<String> keys = Analysis.keys(entries);
    ComparedVectors texts = ComparedVectors.of(vectors, passages);
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      float floor = DuplicatesAndCrossLinks.floor(settings);
      PairSimilarities similarities =
          updated(floor, keys, vectors, packed, texts, threads)
              ? known
              : ScannedPairs.of(keys, vectors, packed, texts, maxDrawn, threads);
      List<NamedEntry> shown = SecretCheck.masked(entries);
      return new Analysis(shown, vectors, packed, texts, similarities, settings, threads)
          .findings();
    } catch (RuntimeException | Error e) {
      known = null; // a failure must not leave half of it
      throw e;
    }
  }

  /** Brings the pairs up to date, unless there are too many. */
  private boolean updated(
      float floor,
      List<String> keys,
      Vectors vectors,
      PackedVectors packed,
      ComparedVectors texts,
      int threads) {
    if (tooManyPairs && tooManyAbove == floor) {
      return false;
    }
    if (known == null || known.floor() != floor) {
      known = new IncrementalPairs(floor, maxPairs, maxDrawn);
    }
    tooManyPairs = !known.update(keys, vectors, packed, texts, threads);
    tooManyAbove = floor;
    known = tooManyPairs ? null : known;
    return !tooManyPairs;
  }

  /** Forgets everything; the next update compares all with all. */
  public void forget() {
    known = null;
  }
}
