package dev.helixbg.daemon.link;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How commands talk to the daemon, when one runs. */
public record DaemonLink(DaemonHome home) {
  /** A request without parameters; the caller adds them. */
  public static ObjectNode request(String what) {
    return Json.object().put("do", what);
  }

  /**
   * Connects to a daemon that must be there.
   *
   * @param patience for each line of an answer
   * @throws Failure with {@link ExitCode#NO_DAEMON}
   */
  private ControlClient connect(Duration patience) {
    Optional<ControlClient> client = Optional.empty();
    try {
      client = ControlClient.connect(home.socket(), patience);
    } catch (IOException e) {
      // what cannot be talked to is none
    }
    return client.orElseThrow(
        () ->
            new Failure(
                ExitCode.NO_DAEMON,
                "no daemon is running; start one: helix-bg daemon, or helix-bg service install"));
  }

  /**
   * All lines of the answer of a daemon that must be there.
   *
   * @throws Failure with {@link ExitCode#NO_DAEMON} when it is not, or goes away; with what it says
   *     against the request
   */
  public List<JsonNode> ask(ObjectNode request, Duration patience) {
    try (ControlClient client = connect(patience)) {
      return client.ask(request);
    } catch (IOException e) {
      throw new Failure(ExitCode.NO_DAEMON, e.getMessage() + "; see: helix-bg service logs");
    }
  }

  /** Status of the daemon; empty if none runs or it does not answer. */
  public Optional<JsonNode> status() {
    if (!Files.exists(home.socket())) {
      return Optional.empty(); // most often; a young JVM takes long to get ready for JSON
    }
    try {
      return Optional.of(ask(request("status"), Duration.ofSeconds(10)).getFirst());
    } catch (Failure e) {
      return Optional.empty(); // later requests report the error
    }
  }

  /** The KBs that a daemon with this status watches. */
  public static List<Kb> watched(JsonNode status) {
    List<Kb> watched = new ArrayList<>();
    status.path("kbs").forEach(kb -> watched.add(Kb.named(Path.of(kb.path("folder").asText()))));
    return watched;
  }

  /** Whether a daemon runs and watches this KB. */
  public boolean watches(Kb kb) {
    return status().filter(status -> watched(status).contains(kb)).isPresent();
  }

  /**
   * Has a daemon that watches this KB look at once.
   *
   * @return whether one does
   */
  public boolean hint(Kb kb) {
    try {
      if (!watches(kb)) {
        return false;
      }
      ask(request("look"), Duration.ofSeconds(5));
      return true;
    } catch (Failure e) {
      return false; // it looks by itself later
    }
  }
}
