package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.bench.LlamaRival;
import dev.helixbg.llm.bench.LlmBench;
import dev.helixbg.llm.bench.LlmBench.Result;
import dev.helixbg.llm.bench.Rival;
import dev.helixbg.llm.bench.RivalException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures how fast this machine reads prompts and generates tokens; it counts as llama-bench does.
 * With {@code --beside}, helix-bg's runs alternate with runs of llama.cpp, the rival.
 */
final class BenchLlmCommand extends JsonCommand {
  /**
   * Longest wait for the rival's start, and for each of its rounds; both take minutes on a slow
   * machine.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ModelFlags flags = new ModelFlags();
  private final BenchModel model = new BenchModel();
  private int promptTokens;
  private int tokens;
  private int repetitions;
  private List<Integer> answers = List.of();
  private Path against;
  private String beside;
  private Path npm;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure how many tokens per second a GGUF model reads in a prompt, and how many it"
            + " generates.");
    to.add(options, flags);
    to.addOneOf(model);
    to.option(
        "-p, --prompt-tokens=N",
        "Number of tokens of the prompt; 0: reading is not measured (default: ${DEFAULT-VALUE}).",
        512,
        given -> promptTokens = given);
    to.option(
        "-n, --tokens=N",
        "Number of tokens to generate; 0: generation is not measured (default: ${DEFAULT-VALUE}).",
        64,
        given -> tokens = given);
    to.option(
        "-r, --repetitions=N",
        "Number of measurements of each speed (default: ${DEFAULT-VALUE}).",
        5,
        given -> repetitions = given);
    to.list(
        "--answers=N,N...",
        "Also measure several answers that are generated at the same time, of -n tokens each. List"
            + " the numbers of answers, such as 1,2,4,8,16 (default: none).",
        Integer.class,
        given -> answers = given);
    to.option(
        "--against=FILE",
        "Output of an earlier run with --json. Print how much each median has changed since then.",
        Path.class,
        given -> against = given);
    to.option(
        "--beside=llama",
        "Alternately measure llama.cpp from the npm package node-llama-cpp, if it is installed. It"
            + " runs on the CPU, with the same number of threads.",
        given -> beside = given);
    to.option(
        "--npm=FOLDER",
        "Folder whose node_modules has node-llama-cpp (default: the current folder, else npm's"
            + " folder for all users).",
        Path.class,
        given -> npm = given);
  }

  private record Bench(
      Machine machine, String backend, int threads, String rival, List<Result> results) {}

  @Override
  public Integer call() throws IOException {
    boolean tooFew = answers.stream().anyMatch(number -> number < 0);
    if (promptTokens < 0 || tokens < 0 || tooFew || repetitions < 1) {
      throw new Failure(ExitCode.USAGE, "-p, -n and --answers must be 0 or more, -r 1 or more");
    }
    Settings settings = flags.settings(options);
    Map<String, Double> before = SavedMedians.read(Optional.ofNullable(against));
    Optional<Path> installed = rival();
    Path file = model.file(settings);
    int most = Math.max(promptTokens, tokens) + 1;
    try (TextModel opened = ModelOpener.open(file, flags.options(settings, most));
        LlamaRival rival = start(installed, file, settings.threads(), most)) {
      Bench bench = run(opened, settings.threads(), Optional.ofNullable(rival));
      show(
          () -> Json.array(bench.results(), result -> toJson(result, bench, before)),
          () -> print(opened, bench, before));
    } catch (RivalException e) {
      throw new Failure(ExitCode.MODEL, e.getMessage());
    }
    return (Thread.currentThread().isInterrupted() ? ExitCode.INTERRUPTED : ExitCode.OK).number();
  }

  /** Returns the folder of the rival; empty if no rival was requested or installed. */
  private Optional<Path> rival() {
    if (beside == null && npm == null) {
      return Optional.empty();
    }
    if (!"llama".equals(beside)) {
      throw new Failure(
          ExitCode.USAGE,
          "the value of --beside must be llama, also if --npm is given, not " + beside);
    }
    Optional<Path> folder =
        npm == null ? LlamaRival.find(PATIENCE) : Optional.of(npm).filter(LlamaRival::isIn);
    if (folder.isEmpty()) {
      console.warn(
          "node-llama-cpp is not %s, so llama.cpp is left out; %s",
          npm == null ? "installed here" : "in " + npm.resolve("node_modules"), LlamaRival.REMEDY);
    }
    return folder;
  }

  private static LlamaRival start(Optional<Path> folder, Path file, int threads, int most) {
    return folder
        .map(found -> LlamaRival.start(found, file, threads, most, PATIENCE))
        .orElse(null); // try-with-resources accepts null
  }

  private Bench run(TextModel opened, int threads, Optional<LlamaRival> rival) {
    LlmBench bench =
        new LlmBench(
            opened,
            repetitions,
            threads,
            Thread.currentThread()::isInterrupted,
            rival.map(Rival.class::cast));
    List<Result> results = new ArrayList<>();
    if (promptTokens > 0) {
      results.add(bench.prompt(promptTokens));
    }
    if (tokens > 0) {
      results.add(bench.generation(tokens));
    }
    for (int number : answers) {
      if (tokens > 0 && number > 0) {
        results.add(bench.generation(tokens, number));
      }
    }
    String name = rival.map(llama -> "node-llama-cpp " + llama.version()).orElse("");
    return new Bench(Machine.here(), opened.backend().name(), threads, name, results);
  }

  private void print(TextModel opened, Bench bench, Map<String, Double> before) {
    bench.machine().say(console);
    console.say("Model     %s", opened.file().path());
    console.say("Backend   %s, %d threads", bench.backend(), bench.threads());
    console.say(
        "%n%-8s %12s %10s %10s %14s %14s %14s%s",
        "test",
        "tokens/s",
        "stddev",
        "median",
        "weights GB/s",
        "memory GB/s",
        "bytes/token",
        before.isEmpty() ? "" : "   change");
    for (Result result : bench.results()) {
      console.say(
          "%-8s %12.2f %10.2f %10.2f %14.1f %14.1f %14.0f%s",
          result.test(),
          result.tokensPerSecond(),
          result.deviation(),
          result.median(),
          result.weightGigabytesPerSecond(),
          result.memoryGigabytesPerSecond(),
          result.allocatedBytesPerToken(),
          change(result, before).map("%+8.1f %%"::formatted).orElse(""));
    }
    if (!bench.rival().isEmpty()) {
      console.say("%nBeside    %s, measured alternately; medians", bench.rival());
      console.say("%n%-8s %12s %12s %8s", "test", "helix-bg", "llama.cpp", "ratio");
      for (Result result : bench.results()) {
        if (result.rivalMedian() > 0) {
          console.say(
              "%-8s %12.2f %12.2f %8.2f",
              result.test(), result.median(), result.rivalMedian(), ratio(result));
        }
      }
    }
  }

  /** Returns the change since the earlier median, in percent; empty without an earlier median. */
  private static Optional<Double> change(Result result, Map<String, Double> before) {
    return Optional.ofNullable(before.get(result.test()))
        .map(median -> 100 * (result.median() / median - 1));
  }

  private static double ratio(Result result) {
    return result.median() / Math.max(result.rivalMedian(), Double.MIN_NORMAL);
  }

  private static ObjectNode toJson(Result result, Bench bench, Map<String, Double> before) {
    ObjectNode json =
        Json.object()
            .put("test", result.test())
            .put("tokens_per_second", result.tokensPerSecond())
            .put("stddev", result.deviation())
            .put("median", result.median());
    if (result.rivalMedian() > 0) {
      json.put("rival", bench.rival())
          .put("rival_median", result.rivalMedian())
          .put("ratio", ratio(result));
    }
    change(result, before).ifPresent(percent -> json.put("change_percent", percent));
    json.put("threads", bench.threads())
        .put("backend", bench.backend())
        .put("weight_gb_per_second", result.weightGigabytesPerSecond())
        .put("memory_gb_per_second", result.memoryGigabytesPerSecond())
        .put("allocated_bytes_per_token", result.allocatedBytesPerToken());
    bench.machine().describeIn(json);
    return json;
  }
}
