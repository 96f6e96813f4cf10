package dev.helixbg.daemon.cli.bench;

import dev.helixbg.daemon.cli.HelixBg;
import picocli.CommandLine;

/** The program with its benchmarks, which scripts/helix-bg starts for bench in a checkout. */
public final class Benchmarks {
  private Benchmarks() {}

  public static void main(String[] arguments) {
    HelixBg.start(Benchmarks::commands, arguments);
  }

  private static CommandLine commands() {
    return new CommandLine(new BenchCommand())
        .addSubcommand("embed", new BenchEmbedCommand())
        .addSubcommand("findings", new BenchFindingsCommand())
        .addSubcommand("gpu", new BenchGpuCommand())
        .addSubcommand("kernels", new BenchKernelsCommand())
        .addSubcommand("llm", new BenchLlmCommand())
        .addSubcommand("label", new BenchLabelCommand())
        .addSubcommand("lessons", new BenchLessonsCommand())
        .addSubcommand("related", new BenchRelatedCommand())
        .addSubcommand("similarity", new BenchSimilarityCommand());
  }
}
