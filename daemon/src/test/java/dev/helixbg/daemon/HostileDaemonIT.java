package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.HostileText;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.control.ControlServer.ControlLimits;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks what commands print if a daemon's answers and log contain control characters. */
@Timeout(300)
class HostileDaemonIT {
  private static final String HOSTILE = String.join(" ", HostileText.CORPUS);

  @TempDir Path home;

  private String kb;

  private List<ObjectNode> answer(ObjectNode request) {
    ObjectNode line = new ObjectMapper().createObjectNode();
    return switch (request.path("do").asText()) {
      case "status" -> {
        line.put("version", HOSTILE).put("model", HOSTILE).put("pid", 1);
        line.putArray("kbs").addObject().put("folder", kb).put("trouble", HOSTILE);
        line.putObject("idleWork").put("work", HOSTILE).put("kb", HOSTILE);
        line.putObject("metrics").putObject("lastError").put("at", HOSTILE).put("message", HOSTILE);
        yield List.of(line);
      }
      case "search" -> List.of(line.put("name", HOSTILE).put("text", HOSTILE));
      default -> throw new Failure(ExitCode.PROBLEMS, HOSTILE);
    };
  }

  private String shown(int code, String... arguments) throws Exception {
    Program.Ended ended = new Program(home).withoutC2().run(arguments);
    assertEquals(code, ended.code(), ended.err());
    HostileText.assertHarmless(ended.out(), "stdout of " + List.of(arguments));
    HostileText.assertHarmless(ended.err(), "stderr of " + List.of(arguments));
    return ended.out();
  }

  @Test
  void nothingOfItReachesTheTerminal() throws Exception {
    Kb folder = new WritableKb(home.resolve("kb"), new Random(1)).kb();
    kb = folder.folder().toString();
    DaemonHome daemon = new DaemonHome(home.resolve(".helix"));
    Files.createDirectories(daemon.logs());
    Files.writeString(
        daemon.logFile(), HOSTILE.replace("\uD800", "").replaceAll("[\uDC00\uDBFF]", ""));
    try (ControlServer server =
        ControlServer.start(daemon.socket(), this::answer, ControlLimits.USUAL)) {
      assertEquals(7, shown(0, "status").lines().count());
      JsonNode status = new ObjectMapper().readTree(shown(0, "status", "--json"));
      assertTrue(status.path("version").asText().contains("\u001B]52;c;ZXZpbA=="));
      assertEquals(2, shown(0, "search", "--kb", kb, "x").lines().count());
      JsonNode hit = new ObjectMapper().readTree(shown(0, "search", "--kb", kb, "--json", "x"));
      assertTrue(hit.path("name").asText().contains("\u202Egnp.exe"));
      shown(ExitCode.PROBLEMS.number(), "stop");
      shown(0, "service", "logs");
    }
  }
}
