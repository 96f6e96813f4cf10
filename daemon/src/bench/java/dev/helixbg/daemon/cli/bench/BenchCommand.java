package dev.helixbg.daemon.cli.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "bench",
    description = "Measure this machine; every benchmark checks its result first.",
    synopsisSubcommandLabel = "BENCHMARK")
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a benchmark is missing: embed, findings, gpu, kernels, label, lessons, llm, related or"
            + " similarity");
  }
}
