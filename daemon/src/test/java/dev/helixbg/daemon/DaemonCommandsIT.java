package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a user asks of a daemon that runs, command by command, and without one. */
@Timeout(600)
class DaemonCommandsIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir Path home;

  private Program program;

  private Program.Ended succeed(String... arguments) throws Exception {
    Program.Ended ended = program.run(arguments);
    assertEquals(0, ended.code(), List.of(arguments) + ": " + ended.err());
    return ended;
  }

  private static JsonNode json(Program.Ended ended) throws Exception {
    return new ObjectMapper().readTree(ended.out());
  }

  @Test
  void aDaemonAnswersEachOfItsCommands() throws Exception {
    program = new Program(home);
    WritableKb writer = new WritableKb(home.resolve("kb"), new Random(1));
    writer.append("queue", "A lease of the queue expires after thirty seconds.");
    writer.append("queue", "Leases in the queue expire after thirty seconds.");
    writer.append("lunch", "The canteen serves soup on Fridays.");
    String kb = writer.kb().folder().toString();
    for (String command : List.of("status", "stop")) {
      assertEquals(ExitCode.NO_DAEMON.number(), program.run(command).code(), command);
    }
    try (RealDaemon daemon = new RealDaemon(home, Program.DIST, List.of()).withoutC2()) {
      daemon.settings("[daemon]\npoll_seconds = 0.2\nquiet_seconds = 0.2\n");
      daemon.start(writer.kb().folder());
      daemon.awaitUpToDate(3, PATIENCE);

      JsonNode status = json(succeed("status", "--json"));
      assertEquals(3, status.at("/kbs/0/entries").asInt());
      assertEquals(daemon.process().pid(), status.path("pid").asLong());
      assertTrue(succeed("status").out().contains("3 entries, up to date"));

      String search =
          succeed("search", "--kb", kb, "-n", "1", "when is there something to eat").out();
      assertTrue(search.contains("lunch:0"), search);
      assertEquals(1, json(succeed("status", "--json")).at("/metrics/searches").asInt());

      writer.append();
      daemon.awaitUpToDate(4, PATIENCE);
      succeed("stop");
      assertTrue(daemon.process().waitFor(60, TimeUnit.SECONDS), "it runs on");
      assertEquals(0, daemon.process().exitValue(), "a service manager leaves it ended");
      String logs = succeed("service", "logs").out();
      assertTrue(logs.lines().toList().getLast().contains("stopped"), logs);
    }
  }
}
