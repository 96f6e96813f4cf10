package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Locations;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.store.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The knowledge bases that a client may ask about, and who answers: the daemon wherever one runs
 * and watches the KB, else this process. Looked for anew at each request, since daemons come and
 * go.
 */
final class Kbs implements AutoCloseable {
  /** Longer than the daemon's own for anything. */
  private static final Duration PATIENCE = Duration.ofMinutes(31);

  private final List<Kb> named;
  private final Settings settings;
  private final Locations locations;
  private final DaemonLink link;

  /** Null while daemons answer everything. Guarded by this. */
  private OwnKbs own;

  private boolean closed;

  /**
   * @param named empty: those that the daemon watches, else the one that {@code one-shot} takes
   */
  Kbs(List<Kb> named, Settings settings, Locations locations) {
    this.named = named;
    this.settings = settings;
    this.locations = locations;
    this.link = new DaemonLink(DaemonHome.of(locations));
  }

  /**
   * An answer.
   *
   * @param byDaemon else this process has answered
   */
  record Answer(List<JsonNode> lines, boolean byDaemon) {
    JsonNode first() {
      return lines.getFirst();
    }
  }

  /** What the daemon says about itself, when one runs. */
  Optional<JsonNode> daemon() {
    return link.status();
  }

  private static List<Kb> watchedBy(Optional<JsonNode> daemon) {
    return daemon.map(DaemonLink::watched).orElse(List.of());
  }

  /** All of them; never none. */
  List<Kb> all(Optional<JsonNode> daemon) {
    if (!named.isEmpty()) {
      return named;
    }
    List<Kb> watched = watchedBy(daemon);
    return watched.isEmpty() ? List.of(Kb.find(Optional.empty(), settings, locations)) : watched;
  }

  /**
   * Asks about one of them.
   *
   * @param request may have folder or name of the KB; else it is the first
   * @param progress shown when this process has to read or compute much
   * @throws Failure with what is wrong with the request
   */
  Answer ask(ObjectNode request, Progress.Display progress)
      throws IOException, InterruptedException {
    Optional<JsonNode> daemon = daemon();
    Kb kb = choose(Optional.ofNullable(request.path("kb").textValue()), all(daemon));
    request.put("kb", kb.folder().toString());
    if (watchedBy(daemon).contains(kb)) {
      try {
        List<JsonNode> lines = link.ask(request, PATIENCE);
        letGo();
        return new Answer(lines, true);
      } catch (Failure e) {
        if (e.code() != ExitCode.NO_DAEMON || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
    }
    return new Answer(own().ask(kb, request, progress), false);
  }

  /**
   * The last report on one of them, as Markdown; where no daemon makes it, it is made now.
   *
   * @throws Failure with {@link ExitCode#KB} when there is none
   */
  String report(Optional<String> wanted, Progress.Display progress)
      throws IOException, InterruptedException {
    Optional<JsonNode> daemon = daemon();
    Kb kb = choose(wanted, all(daemon));
    if (!watchedBy(daemon).contains(kb)) {
      own().bringUpToDate(kb, progress);
    }
    Path file = ReportFolder.of(kb).markdown();
    try {
      PrivateFiles.requireFile(file);
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new Failure(
          ExitCode.KB, "there is no report yet in " + kb.insights() + ": run helix-bg one-shot");
    }
  }

  private static Kb choose(Optional<String> wanted, List<Kb> kbs) {
    if (wanted.isEmpty()) {
      return kbs.getFirst();
    }
    String name = wanted.get();
    return kbs.stream()
        .filter(kb -> kb.folder().toString().equals(name) || name(kb).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                Failure.usage(
                    "there is no knowledge base %s here; there are: %s"
                        .formatted(name, String.join(", ", kbs.stream().map(Kbs::name).toList()))));
  }

  /** How a client may call it. */
  static String name(Kb kb) {
    return String.valueOf(kb.folder().getFileName());
  }

  private synchronized OwnKbs own() {
    if (closed) {
      throw new Failure(ExitCode.BUSY, "helix-bg mcp is ending");
    }
    if (own == null) {
      own = new OwnKbs(settings);
    }
    return own;
  }

  /** A daemon is back: what it holds need not be held here. */
  private synchronized void letGo() {
    if (own != null) {
      own.close();
      own = null;
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    letGo();
  }
}
