package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.bench.LlmBench;
import dev.helixbg.llm.bench.LlmBench.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast this machine reads prompts and generates, as llama-bench counts it. */
@Command(
    name = "llm",
    description = "Prompt and generation tokens per second of a GGUF model.",
    mixinStandardHelpOptions = true)
final class BenchLlmCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;
  @Mixin private ModelFlags flags;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private BenchModel model;

  @Option(
      names = {"-p", "--prompt-tokens"},
      paramLabel = "N",
      defaultValue = "512",
      description = "Length of the prompt that is read; 0: none (default: ${DEFAULT-VALUE}).")
  private int promptTokens;

  @Option(
      names = {"-n", "--tokens"},
      paramLabel = "N",
      defaultValue = "64",
      description = "How many tokens are generated; 0: none (default: ${DEFAULT-VALUE}).")
  private int tokens;

  @Option(
      names = {"-r", "--repetitions"},
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int repetitions;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  BenchLlmCommand(Console console) {
    this.console = console;
  }

  private record Bench(String backend, int threads, List<Result> results) {}

  @Override
  public Integer call() throws IOException {
    if (promptTokens < 0 || tokens < 0 || repetitions < 1) {
      throw new Failure(ExitCode.USAGE, "-p and -n must be 0 or more, -r 1 or more");
    }
    Settings settings = flags.settings(options);
    try (TextModel opened =
        flags.open(model.file(settings), settings, Math.max(promptTokens, tokens) + 1)) {
      Bench bench = run(opened, settings.threads());
      if (json) {
        JsonStream.print(console.json(), generator -> write(bench, generator));
      } else {
        print(opened, bench);
      }
    }
    return (Thread.currentThread().isInterrupted() ? ExitCode.INTERRUPTED : ExitCode.OK).number();
  }

  private Bench run(TextModel opened, int threads) {
    LlmBench bench =
        new LlmBench(opened, repetitions, threads, Thread.currentThread()::isInterrupted);
    List<Result> results = new ArrayList<>();
    if (promptTokens > 0) {
      results.add(bench.prompt(promptTokens));
    }
    if (tokens > 0) {
      results.add(bench.generation(tokens));
    }
    return new Bench(opened.backend().name(), threads, results);
  }

  private void print(TextModel opened, Bench bench) {
    console.say("Model     %s", opened.file().path());
    console.say("Backend   %s, %d threads", bench.backend(), bench.threads());
    console.say(
        "%n%-8s %12s %10s %14s %14s %14s",
        "test", "tokens/s", "stddev", "weights GB/s", "memory GB/s", "bytes/token");
    for (Result result : bench.results()) {
      console.say(
          "%-8s %12.2f %10.2f %14.1f %14.1f %14.0f",
          result.test(),
          result.tokensPerSecond(),
          result.deviation(),
          result.weightGigabytesPerSecond(),
          result.memoryGigabytesPerSecond(),
          result.allocatedBytesPerToken());
    }
  }

  private static void write(Bench bench, JsonGenerator json) throws IOException {
    json.writeStartArray();
    for (Result result : bench.results()) {
      json.writeStartObject();
      json.writeStringField("test", result.test());
      json.writeNumberField("tokens_per_second", result.tokensPerSecond());
      json.writeNumberField("stddev", result.deviation());
      json.writeNumberField("threads", bench.threads());
      json.writeStringField("backend", bench.backend());
      json.writeNumberField("weight_gb_per_second", result.weightGigabytesPerSecond());
      json.writeNumberField("memory_gb_per_second", result.memoryGigabytesPerSecond());
      json.writeNumberField("allocated_bytes_per_token", result.allocatedBytesPerToken());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
