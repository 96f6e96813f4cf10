package dev.helixbg.daemon.cli.bench;

import dev.helixbg.daemon.cli.HelixBg;
import dev.helixbg.daemon.terminal.Console;
import picocli.CommandLine;

/** The program with its benchmarks: what scripts/helix-bg starts for bench in a checkout. */
public final class Benchmarks {
  private Benchmarks() {}

  public static void main(String[] arguments) {
    HelixBg.start(Benchmarks::commands, arguments);
  }

  private static CommandLine commands(Console console) {
    return new CommandLine(new BenchCommand())
        .addSubcommand("embed", new BenchEmbedCommand(console))
        .addSubcommand("kernels", new BenchKernelsCommand(console))
        .addSubcommand("llm", new BenchLlmCommand(console))
        .addSubcommand("label", new BenchLabelCommand(console))
        .addSubcommand("similarity", new BenchSimilarityCommand(console));
  }
}
