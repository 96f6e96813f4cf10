package dev.helixbg.daemon.cli.bench;

import dev.helixbg.daemon.cli.ConsoleCommand;
import dev.helixbg.daemon.cli.HelixBg;
import java.util.Map;
import java.util.TreeMap;

/** Main class with the benchmarks. In a checkout, scripts/helix-bg starts it for {@code bench}. */
public final class Benchmarks {
  private Benchmarks() {}

  public static void main(String[] arguments) {
    HelixBg.start(Benchmarks::commands, arguments);
  }

  private static Map<String, ConsoleCommand> commands() {
    return new TreeMap<>(
        Map.of(
            "embed", new BenchEmbedCommand(),
            "findings", new BenchFindingsCommand(),
            "gpu", new BenchGpuCommand(),
            "kernels", new BenchKernelsCommand(),
            "llm", new BenchLlmCommand(),
            "label", new BenchLabelCommand(),
            "lessons", new BenchLessonsCommand(),
            "related", new BenchRelatedCommand(),
            "similarity", new BenchSimilarityCommand()));
  }
}
