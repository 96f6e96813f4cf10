package dev.helixbg.insight.findings;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * The analysis of a KB that changes: each update finds what {@link Analysis#run} would find, bit by
 * bit, but compares only new entries with all, and those whose pairs make the distribution with
 * each other. One thread at a time.
 */
public final class IncrementalAnalysis {
  private final int maxDrawn;
  private IncrementalPairs known;

  public IncrementalAnalysis() {
    this(SimilarityDistribution.MAX_DRAWN);
  }

  /**
   * @param maxDrawn entries whose pairs make the distribution
   */
  IncrementalAnalysis(int maxDrawn) {
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
      if (known == null) {
        known = new IncrementalPairs(maxDrawn);
      }
      known.update(keys, vectors, packed, texts, threads);
      List<NamedEntry> shown = SecretCheck.masked(entries);
      return new Analysis(shown, vectors, packed, texts, known, settings, threads).findings();
    } catch (RuntimeException | Error e) {
      known = null; // a failure must not leave half of it
      throw e;
    }
  }

  /** Forgets everything; the next update compares all with all. */
  public void forget() {
    known = null;
  }
}
