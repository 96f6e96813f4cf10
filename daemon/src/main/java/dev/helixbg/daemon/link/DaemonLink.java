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
import java.util.List;
import java.util.Optional;

public record DaemonLink(DaemonHome home) {
  public static ObjectNode request(String what) {
    return Json.object().put("do", what);
  }

  private ControlClient connect(Duration patience) {
    try {
      return ControlClient.connect(home.socket(), patience);
    } catch (IOException e) { // a daemon that cannot be reached is treated as missing
      throw new Failure(
          ExitCode.NO_DAEMON,
          "no daemon is running; start one: helix-bg daemon, or helix-bg service install");
    }
  }

  /**
   * Returns all lines of the answer; {@code patience} is the longest wait for each line. Fails with
   * {@link ExitCode#NO_DAEMON} if no daemon runs, or with the daemon's error.
   */
  public List<JsonNode> ask(ObjectNode request, Duration patience) {
    try (ControlClient client = connect(patience)) {
      return client.ask(request);
    } catch (IOException e) {
      throw new Failure(ExitCode.NO_DAEMON, e.getMessage() + "; see: helix-bg service logs");
    }
  }

  /** Returns whether the socket of a daemon exists; a daemon that was killed leaves its socket. */
  public boolean mayRun() {
    return Files.exists(home.socket());
  }

  /** Returns the status of the daemon; empty if no daemon runs or it does not answer. */
  public Optional<JsonNode> status() {
    if (!mayRun()) {
      return Optional.empty(); // the usual case; avoids loading the JSON classes
    }
    try {
      return Optional.of(ask(request("status"), Duration.ofSeconds(10)).getFirst());
    } catch (Failure e) {
      return Optional.empty(); // later requests report the error
    }
  }

  public static List<Kb> watched(JsonNode status) {
    return status
        .path("kbs")
        .valueStream()
        .map(kb -> Kb.named(Path.of(kb.path("folder").asText())))
        .toList();
  }

  public boolean watches(Kb kb) {
    return watches(status(), kb);
  }

  /** Whether a daemon with this status watches this KB, perhaps by another path. */
  public static boolean watches(Optional<JsonNode> status, Kb kb) {
    return status.stream().flatMap(one -> watched(one).stream()).anyMatch(kb::isSame);
  }

  /** Makes a daemon check a KB at once; returns whether a daemon watches the KB. */
  public boolean hint(Kb kb) {
    try {
      if (!watches(kb)) {
        return false;
      }
      ask(request("look"), Duration.ofSeconds(5));
      return true;
    } catch (Failure e) {
      return false; // the daemon checks the KB later anyway
    }
  }
}
