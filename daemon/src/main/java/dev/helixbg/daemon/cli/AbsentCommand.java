package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.Failure;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** A command that this program only describes: the launcher or a script runs the command. */
@Command
final class AbsentCommand implements Callable<Integer> {
  @Unmatched private List<String> arguments;

  private final String where;

  AbsentCommand(String where) {
    this.where = where;
  }

  @Override
  public Integer call() {
    throw Failure.usage(where);
  }
}
