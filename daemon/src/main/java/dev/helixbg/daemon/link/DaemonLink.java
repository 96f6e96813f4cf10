package dev.helixbg.daemon.link;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
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
   * @param patience for each line of an answer
   */
  Optional<ControlClient> connect(Duration patience) {
    try {
      return ControlClient.connect(home.socket(), patience);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Connects to a daemon that must be there.
   *
   * @throws Failure with {@link ExitCode#NO_DAEMON}
   */
  ControlClient require(Duration patience) {
    return connect(patience)
        .orElseThrow(
            () ->
                new Failure(
                    ExitCode.NO_DAEMON,
                    "no daemon is running; start one: helix-bg daemon, or helix-bg service"
                        + " install"));
  }

  /**
   * All lines of the answer of a daemon that must be there.
   *
   * @throws Failure with {@link ExitCode#NO_DAEMON} when it is not, or goes away; with what it says
   *     against the request
   */
  public List<JsonNode> ask(ObjectNode request, Duration patience) {
    List<JsonNode> answer = new ArrayList<>();
    ask(request, patience, answer::add);
    return answer;
  }

  /** The same, line by line as they come. */
  public void ask(ObjectNode request, Duration patience, ControlClient.LineReceiver answer) {
    try (ControlClient client = require(patience)) {
      client.ask(request, answer);
    } catch (IOException e) {
      throw new Failure(ExitCode.NO_DAEMON, e.getMessage() + "; see: helix-bg service logs");
    }
  }

  /** Whether a daemon runs and watches this KB. */
  public boolean watches(Kb kb) {
    try (ControlClient client = connect(Duration.ofSeconds(5)).orElse(null)) {
      if (client == null) {
        return false;
      }
      JsonNode status = client.ask(request("status")).getFirst();
      for (JsonNode watched : status.path("kbs")) {
        if (watched.path("folder").asText().equals(kb.folder().toString())) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false;
    }
  }
}
