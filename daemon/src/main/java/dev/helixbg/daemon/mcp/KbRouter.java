package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.server.KbHost;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.findings.Analysis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the knowledge base of a request, and has it answered: by the daemon if one watches the KB,
 * else by this process. It looks for the daemon at each request, because daemons come and go.
 */
final class KbRouter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KbRouter.class);

  /** Longer than the daemon's own for anything. */
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(31);

  /** A client that asks something when it begins has done so by then. */
  private static final Duration AT_ONCE = Duration.ofMillis(500);

  private final List<Kb> named;
  private final Settings settings;
  private final UserDirectories locations;
  private final DaemonLink link;

  private final Supplier<InProcessKbs> answering;

  /** Null until this process has to answer. Guarded by this. */
  private InProcessKbs own;

  private boolean closed;
  private volatile boolean asked;

  /**
   * @param named empty: those that the daemon watches, else the one that {@code one-shot} takes
   */
  KbRouter(List<Kb> named, Settings settings, UserDirectories locations) {
    this(
        named,
        settings,
        locations,
        () -> EmbedderSource.located(settings),
        Optional.of(PairSource.located(settings)));
  }

  /**
   * @param source leads to the model that this process embeds with
   * @param pairs the pair judge, if there is one
   */
  KbRouter(
      List<Kb> named,
      Settings settings,
      UserDirectories locations,
      Supplier<EmbedderSource> source,
      Optional<PairSource> pairs) {
    this.named = named;
    this.settings = settings;
    this.locations = locations;
    this.link = new DaemonLink(DaemonHome.of(locations));
    this.answering =
        () ->
            new InProcessKbs(
                KbHost.of(settings, source.get(), pairs, DaemonClock.SYSTEM, LOG::warn),
                Analysis::run);
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

  /** Status of the daemon; empty if none runs. */
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
    asked = true;
    Optional<JsonNode> daemon = daemon();
    Kb kb = choose(Optional.ofNullable(request.path("kb").textValue()), all(daemon));
    request.put("kb", kb.folder().toString());
    if (watchedBy(daemon).contains(kb)) {
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

  /** The one that is meant: by its folder, else by the folder's last name. */
  private static Kb choose(Optional<String> wanted, List<Kb> kbs) {
    if (wanted.isEmpty()) {
      return kbs.getFirst();
    }
    String name = wanted.get();
    List<Kb> meant = kbs.stream().filter(kb -> kb.folder().toString().equals(name)).toList();
    if (meant.isEmpty()) {
      meant = kbs.stream().filter(kb -> name(kb).equals(name)).toList();
    }
    if (meant.size() > 1) {
      throw Failure.usage(
          "several knowledge bases are called %s, name one by its folder: %s"
              .formatted(name, listed(meant, kb -> kb.folder().toString())));
    }
    if (meant.isEmpty()) {
      throw Failure.usage(
          "there is no knowledge base %s here; there are: %s"
              .formatted(name, listed(kbs, KbRouter::name)));
    }
    return meant.getFirst();
  }

  private static String listed(List<Kb> kbs, Function<Kb, String> called) {
    return kbs.stream().map(called).collect(Collectors.joining(", "));
  }

  /** How a client may call it. */
  static String name(Kb kb) {
    return String.valueOf(kb.folder().getFileName());
  }

  /** Loads the model that a search needs, where no daemon answers. */
  void openAhead() {
    try {
      unwatched().ifPresent(kb -> own().openAhead(kb));
    } catch (RuntimeException e) {
      LOG.debug("not ready: {}", e.toString()); // who asks is told what is wrong
    }
  }

  /** Gets ready for the first question, unless it has come already, or a daemon answers it. */
  void prepare() {
    try {
      Thread.sleep(AT_ONCE);
      Optional<Kb> first = asked ? Optional.empty() : unwatched(); // needs are not to be shared
      if (first.isPresent()) {
        own().prepare(first.get());
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("not ready: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The first KB, where no daemon watches it. */
  private Optional<Kb> unwatched() {
    Optional<JsonNode> daemon = daemon();
    return Optional.of(all(daemon).getFirst()).filter(kb -> !watchedBy(daemon).contains(kb));
  }

  private synchronized InProcessKbs own() {
    if (closed) {
      throw new Failure(ExitCode.BUSY, "helix-bg mcp is ending");
    }
    if (own == null) {
      own = answering.get();
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
