package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbsOption;
import dev.helixbg.daemon.mcp.ClientConfig;
import dev.helixbg.daemon.mcp.McpService;
import dev.helixbg.daemon.service.Installation;
import dev.helixbg.daemon.terminal.Failure;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

final class McpCommand extends ConsoleCommand {
  private List<Path> kbs = List.of();
  private final KbsOption kb = new KbsOption();
  private ClientConfig client;
  private boolean sampling;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Serve a coding agent over MCP, on stdin and stdout. The agent can search, check whether a"
            + " text repeats an entry, read findings and the edits that they suggest, and decide on"
            + " findings. The daemon answers if it watches the knowledge base; otherwise this"
            + " process answers.");
    to.add(options);
    to.arguments(
        "0..*",
        "kb",
        "Folders of knowledge bases. Default: the knowledge bases that the daemon watches, else"
            + " the knowledge base that 'helix-bg one-shot' would use.",
        Path.class,
        given -> kbs = given);
    to.add(kb);
    to.option(
        "--print-config=CLIENT",
        "Print the configuration with which a client starts this server. CLIENT is one of:"
            + " ${COMPLETION-CANDIDATES}.",
        ClientConfig.class,
        given -> client = given);
    to.flag(
        "--sampling",
        "While the client is idle, ask the client's language model questions by MCP sampling, at"
            + " most 50 a day. Each question costs the user tokens.",
        given -> sampling = given);
  }

  @Override
  protected void run() throws InterruptedException, IOException {
    if (client != null) {
      // A client starts the server in another folder and without the shell's settings, so the
      // arguments have absolute paths.
      List<String> arguments = new ArrayList<>(sampling ? List.of("--sampling") : List.of());
      kb.named(kbs).forEach(one -> arguments.add(one.folder().toString()));
      kb.notes().forEach(folder -> arguments.addAll(List.of("--notes", folder.toString())));
      console.out().println(client.snippet(launcher(), arguments));
      console.warn("%s", client.where());
      return;
    }
    Settings settings = options.load().settings();
    McpService.serve(
        kb.named(kbs, settings),
        settings,
        GlobalOptions.locations(),
        sampling,
        console,
        new FileInputStream(FileDescriptor.in),
        console.json());
  }

  private static String launcher() {
    return Installation.of(Installation.jar())
        .map(installation -> installation.launcher().toString())
        .or(() -> Optional.ofNullable(System.getenv("HELIX_BG_LAUNCHER_PATH")))
        .orElseThrow(
            () ->
                Failure.usage(
                    "--print-config prints the path of the launcher, so start helix-bg by the"
                        + " launcher, not by java -jar"));
  }
}
