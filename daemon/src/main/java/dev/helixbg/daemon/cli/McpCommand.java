package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.mcp.McpService;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Serves a coding agent over MCP, on stdin and stdout. */
@Command(
    name = "mcp",
    description =
        "Serve a coding agent over MCP, on stdin and stdout: search, what an entry repeats,"
            + " findings with their edits, decisions. Asks the daemon when it runs.",
    mixinStandardHelpOptions = true)
final class McpCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;

  @Parameters(
      arity = "0..*",
      paramLabel = "kb",
      description =
          "Folders of knowledge bases. Default: those that the daemon watches, else the one that"
              + " one-shot would take.")
  private List<Path> kbs = List.of();

  private final Console console;

  McpCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    Settings settings = options.load().settings();
    McpService.serve(
        kbs.stream().map(Kb::named).distinct().toList(),
        settings,
        GlobalOptions.locations(),
        console,
        new FileInputStream(FileDescriptor.in),
        console.json());
    return ExitCode.OK.number();
  }
}
