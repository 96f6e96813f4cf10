package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints what makes a shell complete our command line. */
@Command(
    name = "completion",
    description = "Print a completion script for bash and zsh: source <(helix-bg completion)",
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private final Console console;

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    console.out().print(AutoComplete.bash(root.getCommandName(), root));
    return ExitCode.OK.number();
  }
}
