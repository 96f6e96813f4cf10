package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints picocli's completion script, which bash and zsh can source. */
@Command(
    name = "completion",
    description = {
      "Print a completion script for bash and zsh.",
      "Add this line to the startup file of your shell: source <(helix-bg completion)"
    })
final class CompletionCommand extends ConsoleCommand {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    console.out().print(AutoComplete.bash(root.getCommandName(), root));
    return ExitCode.OK.number();
  }
}
