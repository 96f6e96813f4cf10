package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.OnnxRuntimeInt8;
import dev.helixbg.embed.bench.BenchTexts;
import dev.helixbg.embed.bench.EmbedBench;
import dev.helixbg.embed.bench.EmbedBench.Entrant;
import dev.helixbg.embed.bench.EmbedBench.Result;
import dev.helixbg.embed.bench.Langchain4jContender;
import dev.helixbg.embed.bench.SimilarityShift;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures how fast this machine embeds texts, in comparison with rivals. */
final class BenchEmbedCommand extends JsonCommand {
  /**
   * Number of tokens after which helix-bg and all rivals cut texts, so that all do the same work.
   */
  private static final int COMMON_TOKENS = 128;

  private static final int OWN_TOKENS = 256;

  /** Minimum cosine with the reference vector, if the two vectors differ only by float rounding. */
  private static final double SAME = 0.9999;

  /** Minimum cosine for CoreML, which computes in half precision. */
  private static final double SAME_ON_COREML = 0.999;

  private static final double SAME_IN_EIGHT_BITS = 0.97;

  /** Minimum cosine if the reference vector's text is cut earlier; only detects gross errors. */
  private static final double LOOSELY_SAME = 0.5;

  private int texts;
  private int rounds;
  private String threads;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure how fast this machine embeds short, long and mixed texts, with at most 128 and 256"
            + " tokens per text, in fp32 and in int8. In the same run, langchain4j and ONNX Runtime"
            + " with int8 embed the same texts, for comparison.");
    to.add(options);
    to.option(
        "--texts=N",
        "Number of short texts (default: ${DEFAULT-VALUE}). The benchmark also embeds a quarter as"
            + " many long texts, and half as many mixed texts.",
        2000,
        given -> texts = given);
    to.option(
        "--rounds=N",
        "Number of rounds (default: ${DEFAULT-VALUE}). Each round measures every embedder once; the"
            + " median of the rounds counts.",
        3,
        given -> rounds = given);
    to.option("--threads=N", "Number of threads; 0 means one per core.", given -> threads = given);
  }

  private record Bench(
      int threads, String graph, String provider, List<Result> results, SimilarityShift int8) {}

  @Override
  protected void run() throws IOException, InterruptedException {
    if (texts < 4 || rounds < 1) {
      throw new Failure(ExitCode.USAGE, "--texts must be at least 4 and --rounds at least 1");
    }
    Settings settings = options.settings(threads);
    Bench bench = run(settings);
    show(() -> toJson(bench), () -> print(bench));
  }

  private Bench run(Settings settings) throws InterruptedException {
    try (Langchain4jContender alone = new Langchain4jContender(1);
        Langchain4jContender together = new Langchain4jContender(settings.threads());
        MiniLm common = open(settings, Precision.FP32, COMMON_TOKENS);
        MiniLm many = otherWay(settings);
        MiniLm eightBit = open(settings, Precision.INT8, COMMON_TOKENS);
        MiniLm rival = onnxRuntimeInt8(settings);
        MiniLm own = open(settings, Precision.FP32, OWN_TOKENS)) {
      List<Entrant> entrants = new ArrayList<>();
      entrants.add(new Entrant(alone.name(), alone, SAME));
      entrants.add(new Entrant(together.name(), together, SAME));
      boolean coreMl = settings.embed().provider() == ExecutionProvider.COREML;
      double same = coreMl ? SAME_ON_COREML : SAME;
      entrants.add(new Entrant("helix-bg fp32, 128 tokens", common::embedAll, same));
      entrants.add(
          new Entrant("helix-bg for many texts, 128 tokens", many::embedAll, SAME_IN_EIGHT_BITS));
      entrants.add(
          new Entrant("helix-bg int8, 128 tokens", eightBit::embedAll, SAME_IN_EIGHT_BITS));
      entrants.add(
          new Entrant("ONNX Runtime int8, 128 tokens", rival::embedAll, SAME_IN_EIGHT_BITS));
      entrants.add(new Entrant("helix-bg fp32, 256 tokens", own::embedAll, LOOSELY_SAME));
      BenchTexts mixed = BenchTexts.mixed(texts / 2, own::tokenCount);
      List<BenchTexts> sets =
          List.of(
              BenchTexts.brief(texts, own::tokenCount),
              BenchTexts.lengthy(texts / 4, own::tokenCount),
              mixed);
      List<Result> results = new ArrayList<>();
      for (BenchTexts set : sets) {
        console.warn("%s texts ...", set.name());
        results.addAll(EmbedBench.run(entrants, set, common::tokenCount, rounds));
      }
      SimilarityShift shift =
          SimilarityShift.between(common.embedAll(mixed.texts()), eightBit.embedAll(mixed.texts()));
      MiniLm.Provenance provenance = common.provenance();
      return new Bench(
          settings.threads(), provenance.graph(), provenance.provider(), results, shift);
    }
  }

  private static MiniLm open(Settings settings, Precision precision, int maxTokens) {
    return EmbeddingModel.locate(
            embed(settings, precision, maxTokens), settings.cache(), settings.threads())
        .open();
  }

  /** Opens the model for many texts, or the usual one if there is no other. */
  private static MiniLm otherWay(Settings settings) {
    EmbeddingModel usual =
        EmbeddingModel.locate(
            new EmbedSettings(
                settings.embed().models(), ExecutionProvider.CPU, Precision.AUTO, COMMON_TOKENS),
            settings.cache(),
            settings.threads());
    return usual.another(false).orElse(usual).open();
  }

  private static MiniLm onnxRuntimeInt8(Settings settings) {
    EmbedSettings embed = embed(settings, Precision.INT8, COMMON_TOKENS);
    return OnnxRuntimeInt8.open(embed, settings.cache(), settings.threads());
  }

  /** Returns settings with the usual provider; for INT8, which only the CPU supports, the CPU. */
  private static EmbedSettings embed(Settings settings, Precision precision, int maxTokens) {
    ExecutionProvider provider =
        precision == Precision.INT8 ? ExecutionProvider.CPU : settings.embed().provider();
    return new EmbedSettings(settings.embed().models(), provider, precision, maxTokens);
  }

  private void print(Bench bench) {
    console.say("threads %d; %s; %s", bench.threads(), bench.graph(), bench.provider());
    console.say(
        "%-6s %-28s %9s %10s %9s %8s",
        "texts", "embedder", "texts/s", "tokens/s", "GFLOP/s", "cosine");
    for (Result result : bench.results()) {
      console.say(
          "%-6s %-28s %9.1f %10.0f %9.1f %8.5f",
          result.texts(),
          result.contender(),
          result.textsPerSecond(),
          result.tokensPerSecond(),
          result.gflops(),
          result.worstCosine());
    }
    SimilarityShift int8 = bench.int8();
    console.say(
        "int8 changes the similarity of a pair by %.4f on average, %.4f at the 99th percentile,"
            + " %.4f at most (%,d pairs)",
        int8.mean(), int8.p99(), int8.largest(), int8.pairs());
  }

  private static ObjectNode toJson(Bench bench) {
    ObjectNode json =
        Json.object()
            .put("threads", bench.threads())
            .put("graph", bench.graph())
            .put("provider", bench.provider());
    json.set("results", Json.array(bench.results(), Json::of));
    json.set("int8SimilarityShift", Json.of(bench.int8()));
    return json;
  }
}
