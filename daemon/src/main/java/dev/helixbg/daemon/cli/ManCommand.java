package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the manual page, or the same as the page docs/reference.md. */
@Command(name = "man", description = "Print the manual page. To read it: helix-bg man | man -l -")
final class ManCommand extends ConsoleCommand {
  @Option(names = "--markdown", description = "Print the page docs/reference.md instead.")
  private boolean markdown;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    CommandSpec root = spec.root();
    console.out().print(markdown ? ReferencePage.of(root) : ManPage.of(root.commandLine()));
    return ExitCode.OK.number();
  }
}
