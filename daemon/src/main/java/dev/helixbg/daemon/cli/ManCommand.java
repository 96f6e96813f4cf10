package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the manual page. */
@Command(name = "man", description = "Print the manual page: helix-bg man | man -l -")
final class ManCommand extends ConsoleCommand {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    console.out().print(ManPage.of(spec.root()));
    return ExitCode.OK.number();
  }
}
