package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbsOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.server.Daemon;
import dev.helixbg.daemon.server.DaemonLog;
import dev.helixbg.daemon.service.ServiceErrorLog;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.embed.EmbeddingModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

final class DaemonCommand extends ConsoleCommand {
  /**
   * Maximum time that a stopping daemon waits until the current batch of texts is embedded. If the
   * batch takes longer, its vectors are lost.
   */
  private static final Duration ENDING = Duration.ofMillis(1500);

  private List<Path> kbs = List.of();
  private final KbsOption kb = new KbsOption();

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Watch knowledge bases and keep their vectors and reports up to date. Answer requests on"
            + " the control socket ~/.helix/helix-bg.sock until stopped.");
    to.add(options);
    to.arguments(
        "0..*",
        "kb",
        "Folders of knowledge bases. Default: the folder that 'helix-bg one-shot' would use.",
        Path.class,
        given -> kbs = given);
    to.add(kb);
  }

  @Override
  public Integer call() throws InterruptedException {
    DaemonHome home = DaemonHome.of(GlobalOptions.locations());
    // A daemon that fails at each start adds an error to this file each time. Therefore the file is
    // shortened before anything can fail.
    ServiceErrorLog.shorten(home.serviceErrors());
    Settings settings = options.load().settings();
    List<Kb> watched = watched(settings);
    interruption.waitAtMost(ENDING);
    DaemonLog.start(home, settings.daemon(), console);
    try (Daemon daemon =
        Daemon.start(watched, home, settings, EmbeddingModel.locate(settings), Daemon.World.REAL)) {
      daemon.run();
      return ExitCode.OK.number();
    } catch (InterruptedException e) {
      return ExitCode.INTERRUPTED.number();
    } finally {
      DaemonLog.end();
    }
  }

  /** Returns the KBs to watch. A service waits for missing folders, which may be mounted later. */
  private List<Kb> watched(Settings settings) {
    if (System.getenv(ServiceSpec.STARTED_BY) == null) {
      kb.named(kbs).forEach(Kb::requireThere);
    }
    List<Kb> named = kb.named(kbs, settings);
    return named.isEmpty()
        ? List.of(Kb.find(Optional.empty(), settings, GlobalOptions.locations()))
        : named;
  }
}
