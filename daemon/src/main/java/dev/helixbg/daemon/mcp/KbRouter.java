package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.server.KbHost;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.findings.Analysis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses for each request whether the daemon or this process answers it. */
final class KbRouter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KbRouter.class);

  /** Longest wait for an answer, longer than any time limit of the daemon. */
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(31);

  /** Longest time in which the first request comes, if a client sends one at once. */
  private static final Duration AT_ONCE = Duration.ofMillis(500);

  private final List<Kb> named;
  private final Settings settings;
  private final UserDirectories locations;
  private final Supplier<KbHost> hosts;
  private final DaemonLink link;

  /** Null until this process has to answer a request; guarded by this object. */
  private InProcessKbs own;

  private boolean closed;
  private volatile boolean asked;

  /** KBs that the daemon watched last; requests are about them even after the daemon has ended. */
  private volatile List<Kb> lastWatched = List.of();

  /** Without {@code named} KBs, serves the KBs that the daemon watched last, or the default KB. */
  KbRouter(List<Kb> named, Settings settings, UserDirectories locations, Supplier<KbHost> hosts) {
    this.named = named;
    this.settings = settings;
    this.locations = locations;
    this.hosts = hosts;
    this.link = new DaemonLink(DaemonHome.of(locations));
  }

  record Answer(List<JsonNode> lines, boolean byDaemon) {
    JsonNode first() {
      return lines.getFirst();
    }
  }

  Optional<JsonNode> daemon() {
    return link.status();
  }

  List<Kb> all(Optional<JsonNode> daemon) {
    if (!named.isEmpty()) {
      return named;
    }
    List<Kb> watched = daemon.map(DaemonLink::watched).orElse(List.of());
    if (!watched.isEmpty()) {
      lastWatched = watched;
    }
    List<Kb> known = lastWatched;
    return known.isEmpty() ? List.of(Kb.find(Optional.empty(), settings, locations)) : known;
  }

  /**
   * Answers a request. Its field {@code kb} gives the path or name of the KB; without that field,
   * the request is about the first KB.
   */
  Answer ask(ObjectNode request, Progress.Display progress) throws InterruptedException {
    asked = true;
    Optional<JsonNode> daemon = daemon();
    Kb kb = choose(Optional.ofNullable(request.path("kb").textValue()), all(daemon));
    request.put("kb", kb.folder().toString());
    if (DaemonLink.watches(daemon, kb)) {
      try {
        return new Answer(link.ask(request, ANSWER_WITHIN), true);
      } catch (Failure e) {
        if (e.code() != ExitCode.NO_DAEMON || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
    }
    return new Answer(own().ask(kb, request, progress), false);
  }

  /** Returns the KB whose path, notes' path or name is {@code wanted}; if empty, the first KB. */
  private Kb choose(Optional<String> wanted, List<Kb> kbs) {
    if (wanted.isEmpty()) {
      return kbs.getFirst();
    }
    String name = wanted.get();
    Path path = UserDirectories.path(name, locations.home()).normalize();
    List<Kb> meant =
        kbs.stream()
            .filter(kb -> Kb.isSame(kb.folder(), path) || Kb.isSame(place(kb), path))
            .toList();
    if (meant.isEmpty()) {
      meant = kbs.stream().filter(kb -> name(kb).equals(name)).toList();
    }
    if (meant.size() > 1) {
      throw Failure.usage(
          "several knowledge bases are called %s, name one by its path: %s"
              .formatted(name, listed(meant)));
    }
    if (meant.isEmpty()) {
      throw Failure.usage(
          "there is no knowledge base %s here; the knowledge bases are: %s"
              .formatted(name, listed(kbs)));
    }
    return meant.getFirst();
  }

  private String listed(List<Kb> kbs) {
    return kbs.stream().map(kb -> place(kb).toString()).collect(Collectors.joining(", "));
  }

  /** Returns the path that the user knows: the path of the notes, or else of the KB's folder. */
  private Path place(Kb kb) {
    return notes(kb).orElse(kb.folder());
  }

  Optional<Path> notes(Kb kb) {
    return NotesKb.of(kb, settings).map(NotesKb::notes);
  }

  static String name(Kb kb) {
    return String.valueOf(kb.folder().getFileName());
  }

  void openAhead() {
    try {
      unwatched().ifPresent(kb -> own().openAhead(kb));
    } catch (RuntimeException e) {
      LOG.debug("not ready: {}", e.toString()); // the next request reports the error
    }
  }

  /** Prepares for the first question, unless it has come already or the daemon answers it. */
  void prepare() {
    try {
      Thread.sleep(AT_ONCE);
      // preparing would slow down a question that has already come
      Optional<Kb> first = asked ? Optional.empty() : unwatched();
      if (first.isPresent()) {
        own().prepare(first.get());
      }
    } catch (RuntimeException e) {
      LOG.debug("not ready: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<Kb> unwatched() {
    Optional<JsonNode> daemon = daemon();
    return Optional.of(all(daemon).getFirst()).filter(kb -> !DaemonLink.watches(daemon, kb));
  }

  private synchronized InProcessKbs own() {
    if (closed) {
      throw new Failure(ExitCode.BUSY, "helix-bg mcp is ending");
    }
    if (own == null) {
      own = new InProcessKbs(hosts.get(), Analysis::run);
    }
    return own;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (own != null) {
      own.close();
    }
  }
}
