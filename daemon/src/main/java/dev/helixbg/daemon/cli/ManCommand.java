package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the manual page. */
@Command(name = "man", description = "Print the manual page: helix-bg man | man -l -")
final class ManCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private final Console console;

  ManCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    console.out().print(ManPage.of(spec.root()));
    return ExitCode.OK.number();
  }
}
