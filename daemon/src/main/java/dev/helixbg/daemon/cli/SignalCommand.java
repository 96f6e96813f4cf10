package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Command;

/** Sends the daemon one request: pause, resume or stop. */
@Command
final class SignalCommand extends ConsoleCommand {
  private final String word;

  SignalCommand(String word) {
    this.word = word;
  }

  @Override
  public Integer call() throws IOException {
    GlobalOptions.daemon().ask(DaemonLink.request(word), Duration.ofSeconds(10));
    console.warn("%s: done", word);
    return ExitCode.OK.number();
  }
}
