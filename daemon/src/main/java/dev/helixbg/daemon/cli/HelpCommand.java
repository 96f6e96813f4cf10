package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints for {@code help COMMAND} the text of {@code COMMAND --help}. */
@Command(name = "help", description = "Print the help of a command, or the list of commands.")
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "Command to explain.")
  private String command;

  @Override
  public Integer call() {
    CommandLine all = spec.parent().commandLine();
    CommandLine asked = command == null ? all : all.getSubcommands().get(command);
    if (asked == null) {
      throw Failure.usage(ErrorReporter.noCommand(command, spec.parent()));
    }
    asked.usage(all.getOut(), all.getColorScheme());
    return ExitCode.OK.number();
  }
}
