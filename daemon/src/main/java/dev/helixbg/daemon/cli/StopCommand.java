package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.link.DaemonLink;
import java.time.Duration;

final class StopCommand extends ConsoleCommand {

  @Override
  protected void declare(Declaration to) {
    to.description("Stop the daemon; a service manager does not restart it.");
  }

  @Override
  protected void run() {
    GlobalOptions.daemon().ask(DaemonLink.request("stop"), Duration.ofSeconds(10));
    console.warn("the daemon has stopped");
  }
}
