package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** What {@code bench} is where the benchmarks are not: they come with the sources only. */
@Command(
    name = "bench",
    description = "Measure this machine; in a source checkout only.",
    mixinStandardHelpOptions = true)
final class NoBenchCommand implements Callable<Integer> {
  @Unmatched private List<String> benchmark;

  @Override
  public Integer call() {
    throw new Failure(
        ExitCode.USAGE,
        "the benchmarks are no part of an installed helix-bg; run scripts/helix-bg bench in a"
            + " checkout of its sources");
  }
}
