package dev.helixbg.daemon.cli.bench;

import dev.helixbg.daemon.cli.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.GpuApi;
import dev.helixbg.llm.GpuRetry;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.GpuBench;
import dev.helixbg.llm.gpu.GpuBench.Result;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.List;

/** Checks the results of the GPU, and measures its speed. */
final class BenchGpuCommand extends ConsoleCommand {
  private static final int LARGEST_COPY = 256 << 20;
  private static final int LARGEST_SMALL_COPY = 1 << 20;
  private boolean small;
  private int repetitions;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Compare the results of the GPU's kernels with the CPU's, and measure their speed.");
    to.flag(
        "--small",
        "Use small sizes. The benchmark then takes seconds even on a slow device, but its speeds"
            + " mean little.",
        given -> small = given);
    to.option(
        "-r, --repetitions=N",
        "Number of runs of each kernel; the fastest run counts (default: ${DEFAULT-VALUE}).",
        10,
        given -> repetitions = given);
  }

  @Override
  public Integer call() {
    if (repetitions < 1) {
      throw Failure.usage("-r must be 1 or more, not " + repetitions);
    }
    return new GpuRetry(console.err()::println).run(false, onCpu -> test());
  }

  private int test() {
    try (GpuBackend gpu = new GpuBackend(open(), true)) {
      console.say("GPU       %s %s", gpu.device().name(), gpu.device().driver());
      console.say("Memory    %,d MB budget", gpu.device().memoryBudget() >> 20);
      console.say("%n%-28s %10s %10s %10s  %s", "test", "us", "GB/s", "GFLOP/s", "against the CPU");
      List<Result> results = results(new GpuBench(gpu, repetitions));
      boolean right = results.stream().allMatch(Result::isRight);
      return (right ? ExitCode.OK : ExitCode.PROBLEMS).number();
    }
  }

  /**
   * Opens the first usable GPU. If there is none, throws an exception with the reason for each GPU.
   */
  private static GpuDevice open() {
    List<String> reasons = new ArrayList<>();
    for (GpuApi gpu : GpuApi.values()) {
      try {
        return gpu.open();
      } catch (GpuException e) {
        reasons.add(e.getMessage());
      }
    }
    throw new GpuException(String.join("; ", reasons));
  }

  private List<Result> results(GpuBench bench) {
    List<Result> results = new ArrayList<>();
    for (int bytes = 64 << 10; bytes <= (small ? LARGEST_SMALL_COPY : LARGEST_COPY); bytes *= 4) {
      results.add(shown(bench.bandwidth(bytes)));
    }
    int size = small ? 256 : 2048;
    int vectors = small ? 40 : 512;
    results.add(shown(bench.product(TensorType.F32, size, size, vectors)));
    results.add(shown(bench.product(TensorType.Q4_K, size, size, vectors)));
    for (TensorType type : List.of(TensorType.F32, TensorType.Q8_0, TensorType.Q4_K)) {
      results.add(shown(bench.product(type, 2 * size, size, 1)));
    }
    return results;
  }

  private Result shown(Result result) {
    console.say(
        "%-28s %10.1f %10.1f %10.1f  %s",
        result.test(),
        result.seconds() * 1e6,
        result.gigabytesPerSecond(),
        result.gigaflops(),
        result.isRight() ? "right" : "WRONG: off by %.1e".formatted(result.error()));
    return result;
  }
}
