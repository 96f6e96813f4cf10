package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * Describes {@code fetch-models}, which the launcher runs as a script: no Java of ours opens a
 * connection.
 */
@Command(
    name = "fetch-models",
    description = "Download language models into ~/.helix/models; list says which fits here.",
    mixinStandardHelpOptions = true)
final class FetchModelsCommand implements Callable<Integer> {
  @Unmatched private List<String> arguments;

  @Override
  public Integer call() {
    throw new Failure(
        ExitCode.USAGE, "this jar downloads nothing; bin/helix-bg fetch-models runs the script");
  }
}
