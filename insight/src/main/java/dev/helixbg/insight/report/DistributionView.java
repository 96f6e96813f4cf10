package dev.helixbg.insight.report;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.findings.Findings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * How similar all pairs are, as a chart and in words. Heights are logarithmic: nearly all pairs are
 * unrelated, and the few that matter would not be seen beside them.
 *
 * @param bars of the SVG chart
 * @param rows of the text chart
 * @param words how to read it
 */
record DistributionView(
    List<Bar> bars,
    List<Mark> limits,
    List<Mark> ticks,
    List<Mark> grid,
    List<Row> rows,
    List<Fact> facts,
    List<String> words) {
  private static final int BASE = 214;
  private static final int TOP = 44;
  private static final int LEFT = 44;
  private static final int RIGHT = 546;
  private static final int ROW_BLOCKS = 40;

  /** Of {@code -0.20 to -0.18}. */
  private static final int RANGE_WIDTH = 14;

  /**
   * @param kind CSS class of the zone it lies in
   */
  record Bar(String x, String y, String width, String height, String kind, String title) {}

  /** A position on an axis, with its words. */
  record Mark(String at, String textAt, String words) {}

  record Row(String range, String bar, String count) {}

  record Fact(String value, String words) {}

  static DistributionView of(Findings.Distribution distribution, InsightSettings limits) {
    return new DistributionView(
        bars(distribution, limits),
        List.of(
            limit(distribution, limits.nearDuplicate(), "near-duplicates above ", 14),
            limit(distribution, limits.crossLinkFrom(), "cross-links from ", 30)),
        ticks(distribution),
        grid(distribution),
        rows(distribution),
        facts(distribution),
        words(distribution, limits));
  }

  private static List<Bar> bars(Findings.Distribution distribution, InsightSettings limits) {
    long[] histogram = distribution.histogram();
    long most = most(distribution);
    List<Bar> bars = new ArrayList<>();
    for (int bin = 0; bin < histogram.length; bin++) {
      if (histogram[bin] == 0) {
        continue;
      }
      double from = edge(distribution, bin);
      double to = edge(distribution, bin + 1);
      double left = x(distribution, from);
      double height = (BASE - TOP) * share(histogram[bin], most);
      double middle = (from + to) / 2;
      String kind =
          middle > limits.nearDuplicate()
              ? "duplicate"
              : middle >= limits.crossLinkFrom() ? "link" : "far";
      bars.add(
          new Bar(
              NumberWords.px(left),
              NumberWords.px(BASE - height),
              NumberWords.px(Math.max(1, x(distribution, to) - left - 1)),
              NumberWords.px(height),
              kind,
              range(from, to) + ": " + NumberWords.count(histogram[bin], "pair", "pairs")));
    }
    return bars;
  }

  private static Mark limit(
      Findings.Distribution distribution, double limit, String words, int textAt) {
    return new Mark(
        NumberWords.px(x(distribution, Math.clamp(limit, distribution.histogramFrom(), 1))),
        Integer.toString(textAt),
        words + NumberWords.limit(limit));
  }

  private static List<Mark> ticks(Findings.Distribution distribution) {
    List<Mark> ticks = new ArrayList<>();
    for (int fifth = -5; fifth <= 5; fifth++) {
      double value = fifth / 5.0;
      if (value >= distribution.histogramFrom() - 1e-9) {
        ticks.add(
            new Mark(
                NumberWords.px(x(distribution, value)),
                "",
                NumberWords.fixed(value, 1).replace('-', '−')));
      }
    }
    return ticks;
  }

  /** Lines at 1, 10, 100, … pairs. */
  private static List<Mark> grid(Findings.Distribution distribution) {
    long most = most(distribution);
    List<Mark> grid = new ArrayList<>();
    for (long pairs = 1; pairs <= most && pairs > 0; pairs *= 10) {
      double y = BASE - (BASE - TOP) * share(pairs, most);
      grid.add(new Mark(NumberWords.px(y), NumberWords.px(y + 4), shortCount(pairs)));
    }
    return grid;
  }

  private static String shortCount(long pairs) {
    return pairs >= 1_000_000
        ? pairs / 1_000_000 + "M"
        : pairs >= 1_000 ? pairs / 1_000 + "k" : Long.toString(pairs);
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
            + " look at the rank, too: a pair far to the right in the chart, whose entries are each"
            + " other’s nearest, is worth reading.");
    if (distribution.p99() > limits.crossLinkFrom()) {
      words.add(
          "Here more than one pair in 100 reaches the limit for cross-links: these entries share"
              + " much of their vocabulary, and many of the links below will be unrelated notes in"
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

  private static long most(Findings.Distribution distribution) {
    return LongStream.of(distribution.histogram()).max().orElse(0);
  }

  /** 0 for no pairs, 1 for the most; a single pair can still be seen. */
  private static double share(long count, long most) {
    return count == 0 ? 0 : (StrictMath.log(count) + 0.7) / (StrictMath.log(most) + 0.7);
  }

  private static double edge(Findings.Distribution distribution, int bin) {
    double from = distribution.histogramFrom();
    return from + (1 - from) * bin / distribution.histogram().length;
  }

  private static double x(Findings.Distribution distribution, double similarity) {
    double from = distribution.histogramFrom();
    return LEFT + (RIGHT - LEFT) * (similarity - from) / (1 - from);
  }

  private static String range(double from, double to) {
    return NumberWords.fixed(from, 2) + " to " + NumberWords.fixed(to, 2);
  }
}
