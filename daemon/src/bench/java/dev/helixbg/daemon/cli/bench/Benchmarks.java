package dev.helixbg.daemon.cli.bench;

import dev.helixbg.daemon.cli.ConsoleCommand;
import dev.helixbg.daemon.cli.HelixBg;
import java.util.Map;
import java.util.TreeMap;

/** The program with its benchmarks, which scripts/helix-bg starts for bench in a checkout. */
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
