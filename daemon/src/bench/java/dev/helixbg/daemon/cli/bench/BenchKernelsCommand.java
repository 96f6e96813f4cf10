package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.bench.KernelBench;
import dev.helixbg.llm.bench.KernelBench.Result;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Measures how close the speed of each CPU kernel is to the limit of this machine. */
final class BenchKernelsCommand extends JsonCommand {
  private List<TensorType> types;
  private String threads;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure the speed of every kernel of the language model engine on the CPU. In the same"
            + " run, measure the machine's limits: how fast it reads memory, and how fast it"
            + " multiplies.");
    to.add(options);
    to.list(
        "--types=TYPE",
        "Measure only matrix products with weights of these types: ${COMPLETION-CANDIDATES}.",
        TensorType.class,
        given -> types = given);
    to.option(
        "--threads=N",
        "Maximum number of threads; 0 means one per core. Every kernel is also measured with one"
            + " thread.",
        given -> threads = given);
  }

  @Override
  public Integer call() throws IOException {
    Settings settings = options.settings(threads);
    List<Integer> oneAndAll = IntStream.of(1, settings.threads()).distinct().boxed().toList();
    List<Result> results = new ArrayList<>();
    Machine machine = Machine.here();
    if (!json) {
      machine.say(console);
      console.say(
          "%-32s %8s %9s %9s %-7s %6s %9s",
          "kernel", "threads", "speed", "ceiling", "", "", "error");
    }
    KernelBench bench =
        new KernelBench(
            oneAndAll,
            Thread.currentThread()::isInterrupted,
            result -> {
              results.add(result);
              if (!json) {
                print(result);
              }
            });
    bench.run(types == null ? List.of(TensorType.values()) : types, types == null);
    if (json) {
      Json.print(console.json(), Json.array(results, result -> toJson(result, machine)));
    }
    return (Thread.currentThread().isInterrupted() ? ExitCode.INTERRUPTED : ExitCode.OK).number();
  }

  private void print(Result result) {
    console.say(
        "%-32s %8d %9.1f %9.1f %-7s %4.0f %% %9.1e",
        result.kernel(),
        result.threads(),
        result.speed(),
        result.ceiling(),
        result.unit(),
        100 * result.share(),
        result.error());
  }

  private static ObjectNode toJson(Result result, Machine machine) {
    ObjectNode json = Json.of(result).put("share", result.share());
    machine.describeIn(json);
    return json;
  }
}
