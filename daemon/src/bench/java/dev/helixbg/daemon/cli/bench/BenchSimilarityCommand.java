package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.similarity.SimilarityBench;
import dev.helixbg.insight.similarity.SimilarityBench.Peak;
import dev.helixbg.insight.similarity.SimilarityBench.Report;
import dev.helixbg.insight.similarity.SimilarityBench.Result;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** Measures how fast this machine compares all pairs of vectors. */
final class BenchSimilarityCommand extends JsonCommand {
  private static final int MAX_VECTORS = 200_000;
  private List<Integer> sizes = List.of(20000, 50000);
  private int rounds;
  private String threads;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure how fast this machine finds all pairs of vectors whose similarity is above a"
            + " limit. Compare with a plain loop over the pairs, and with the peak speed of"
            + " multiply-adds.");
    to.add(options);
    to.list(
        "--vectors=N",
        "Numbers of vectors, of 384 values each (default: 20000,50000).",
        Integer.class,
        given -> sizes = given);
    to.option(
        "--rounds=N",
        "Number of rounds, of which the median counts (default: ${DEFAULT-VALUE}).",
        5,
        given -> rounds = given);
    to.option("--threads=N", "Number of threads; 0 means one per core.", given -> threads = given);
  }

  @Override
  protected void run() throws IOException {
    if (rounds < 1 || sizes.stream().anyMatch(size -> size < 2 || size > MAX_VECTORS)) {
      throw new Failure(
          ExitCode.USAGE,
          "--rounds must be at least 1 and --vectors from 2 to %d".formatted(MAX_VECTORS));
    }
    Settings settings = options.settings(threads);
    int[] oneAndAll = IntStream.of(1, settings.threads()).distinct().toArray();
    Report report =
        SimilarityBench.run(sizes.stream().mapToInt(i -> i).toArray(), oneAndAll, rounds);
    show(() -> toJson(report), () -> print(report));
  }

  private void print(Report report) {
    for (Peak peak : report.peaks()) {
      String gflops = text("%.0f GFLOP/s", peak.gflops());
      console.say("multiply-add peak, %d threads: %s", peak.threads(), gflops);
    }
    console.say(
        "kernel: %s",
        report.registerBits() == 0 ? "no Vector API" : report.registerBits() + "-bit registers");
    console.say(
        "%8s %8s %9s %9s %8s %7s %22s",
        "vectors", "threads", "ns/pair", "GFLOP/s", "of peak", "hits", "pair by pair, ns/pair");
    for (Result result : report.results()) {
      console.say(
          "%8d %8d %9.3f %9.1f %8s %7d %22.2f",
          result.vectors(),
          result.threads(),
          result.nanosPerPair(),
          result.gflops(),
          percent(result.shareOfPeak()),
          result.hits(),
          result.pairByPairNanos());
    }
  }

  private static String percent(OptionalDouble share) {
    return share.isPresent() ? text("%.0f %%", OptionalDouble.of(100 * share.getAsDouble())) : "-";
  }

  private static String text(String format, OptionalDouble value) {
    return value.isPresent() ? String.format(Locale.ROOT, format, value.getAsDouble()) : "unknown";
  }

  private static ObjectNode toJson(Report report) {
    ObjectNode json = Json.object().put("registerBits", report.registerBits());
    json.set("peaks", Json.array(report.peaks(), BenchSimilarityCommand::toJson));
    json.set("results", Json.array(report.results(), BenchSimilarityCommand::toJson));
    return json;
  }

  private static ObjectNode toJson(Peak peak) {
    return Json.object().put("threads", peak.threads()).put("gflops", orNull(peak.gflops()));
  }

  private static ObjectNode toJson(Result result) {
    return Json.object()
        .put("vectors", result.vectors())
        .put("threads", result.threads())
        .put("nanosPerPair", result.nanosPerPair())
        .put("gflops", result.gflops())
        .put("shareOfPeak", orNull(result.shareOfPeak()))
        .put("hits", result.hits())
        .put("pairByPairNanosPerPair", result.pairByPairNanos());
  }

  private static Double orNull(OptionalDouble value) {
    return value.isPresent() ? value.getAsDouble() : null;
  }
}
