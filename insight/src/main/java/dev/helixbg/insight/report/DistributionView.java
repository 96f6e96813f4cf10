package dev.helixbg.insight.report;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.findings.Findings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * How similar all pairs are, as a chart of characters and in words. Bars are logarithmic: nearly
 * all pairs are unrelated, and the few that matter would not be seen beside them.
 *
 * @param words how to read it
 */
record DistributionView(List<Row> rows, List<Fact> facts, List<String> words) {
  private static final int ROW_BLOCKS = 40;

  /** Of {@code -0.20 to -0.18}. */
  private static final int RANGE_WIDTH = 14;

  record Row(String range, String bar, String count) {}

  record Fact(String value, String words) {}

  static DistributionView of(Findings.Distribution distribution, InsightSettings limits) {
    return new DistributionView(
        distribution.pairs() == 0 ? List.of() : rows(distribution),
        facts(distribution),
        words(distribution, limits));
  }

  /** Twenty rows at most, from the first bin that has pairs. */
  private static List<Row> rows(Findings.Distribution distribution) {
    long[] histogram = distribution.histogram();
    int first = 0;
    while (first < histogram.length && histogram[first] == 0) {
      first++;
    }
    int perRow = Math.max(1, Math.ceilDiv(histogram.length, 20));
    int start = first - first % perRow;
    long[] sums =
        IntStream.iterate(start, bin -> bin < histogram.length, bin -> bin + perRow)
            .mapToLong(bin -> LongStream.of(histogram).skip(bin).limit(perRow).sum())
            .toArray();
    long most = LongStream.of(sums).max().orElse(0);
    List<Row> rows = new ArrayList<>();
    for (int row = 0; row < sums.length; row++) {
      int bin = start + row * perRow;
      int end = Math.min(histogram.length, bin + perRow);
      String range = range(edge(distribution, bin), edge(distribution, end));
      String indent = " ".repeat(Math.max(0, RANGE_WIDTH - range.length()));
      int blocks = (int) Math.ceil(ROW_BLOCKS * share(sums[row], most));
      rows.add(new Row(indent + range, "█".repeat(blocks), NumberWords.count(sums[row])));
    }
    return rows;
  }

  private static List<Fact> facts(Findings.Distribution distribution) {
    return List.of(
        new Fact(NumberWords.similarity(distribution.median()), "half of all pairs are below"),
        new Fact(NumberWords.similarity(distribution.p90()), "one pair in 10 is above"),
        new Fact(NumberWords.similarity(distribution.p99()), "one pair in 100 is above"),
        new Fact(NumberWords.similarity(distribution.p999()), "one pair in 1,000 is above"),
        new Fact(
            NumberWords.similarity(distribution.medianNearest()),
            "half of the entries have a neighbour nearer than this"));
  }

  private static List<String> words(Findings.Distribution distribution, InsightSettings limits) {
    List<String> words = new ArrayList<>();
    words.add(
        "The limits ("
            + NumberWords.limit(limits.crossLinkFrom())
            + " for cross-links, "
            + NumberWords.limit(limits.nearDuplicate())
            + " for near-duplicates) are the same for every knowledge base. Where all entries are"
            + " on one subject, even unrelated ones are similar, and a high number says less. So"
            + " look at the rank, too: a similar pair whose entries are each other’s nearest is"
            + " worth reading.");
    if (distribution.p99() > limits.crossLinkFrom()) {
      words.add(
          "Here more than one pair in 100 reaches the limit for cross-links: these entries share"
              + " much of their vocabulary, and many of the pairs above will be unrelated notes in"
              + " similar words.");
    } else if (distribution.pairs() >= 1000 && distribution.p999() < limits.crossLinkFrom()) {
      words.add(
          "Here fewer than one pair in 1,000 reaches the limit for cross-links, so those that do"
              + " stand out.");
    }
    if (distribution.sampled()) {
      words.add(
          "The chart counts an even sample of "
              + NumberWords.count(distribution.pairs())
              + " pairs; the findings are from all of them.");
    }
    return words;
  }

  /** 0 for no pairs, 1 for the most; a single pair can still be seen. */
  private static double share(long count, long most) {
    return count == 0 ? 0 : (StrictMath.log(count) + 0.7) / (StrictMath.log(most) + 0.7);
  }

  private static double edge(Findings.Distribution distribution, int bin) {
    double from = distribution.histogramFrom();
    return from + (1 - from) * bin / distribution.histogram().length;
  }

  private static String range(double from, double to) {
    return NumberWords.fixed(from, 2) + " to " + NumberWords.fixed(to, 2);
  }
}
