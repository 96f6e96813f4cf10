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

/** Prints what makes a shell complete our command line. */
@Command(
    name = "completion",
    description = {
      "Print a completion script.",
      "bash, zsh: source <(helix-bg completion bash). fish: helix-bg completion fish | source"
    })
final class CompletionCommand extends ConsoleCommand {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      completionCandidates = Shells.class,
      description = "bash, zsh or fish (default: ${DEFAULT-VALUE}).")
  private String shell;

  static final class Shells extends ArrayList<String> {
    Shells() {
      super(SHELLS);
    }
  }

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    console
        .out()
        .print(
            switch (shell) {
              case "bash" -> AutoComplete.bash(root.getCommandName(), root);
              case "zsh" -> ShellCompletion.zsh(root.getCommandSpec());
              case "fish" -> ShellCompletion.fish(root.getCommandSpec());
              default ->
                  throw Failure.usage(
                      "there is completion for "
                          + String.join(", ", SHELLS)
                          + ", not for "
                          + shell
                          + NearestName.meant(shell, SHELLS, ""));
            });
    return ExitCode.OK.number();
  }
}
