package dev.helixbg.daemon.cli;

import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints picocli's completion script, which bash and zsh can source. */
@Command(
    name = "completion",
    description = {
      "Print a completion script for bash and zsh.",
      "Add this line to the startup file of your shell: source <(helix-bg completion)"
    })
final class CompletionCommand extends ConsoleCommand {
  private static final List<String> SHELLS = List.of("bash", "zsh");

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      completionCandidates = Shells.class,
      description = "bash or zsh; both use the same script (default: ${DEFAULT-VALUE}).")
  private String shell;

  static final class Shells extends ArrayList<String> {
    Shells() {
      super(SHELLS);
    }
  }

  @Override
  public Integer call() {
    if (!SHELLS.contains(shell)) {
      throw Failure.usage(
          "there is completion for "
              + String.join(", ", SHELLS)
              + ", not for "
              + shell
              + NearestName.meant(shell, SHELLS, ""));
    }
    CommandLine root = spec.root().commandLine();
    console.out().print(AutoComplete.bash(root.getCommandName(), root));
    return ExitCode.OK.number();
  }
}
