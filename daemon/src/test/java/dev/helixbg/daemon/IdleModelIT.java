package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.run.KnownTrial;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a daemon process with a tiny test model: it asks when idle, is interrupted, and resumes.
 */
@Timeout(1_800)
class IdleModelIT {

  /** Longest wait: idle threads come last, and get 2 % of a processor beside two busy tests. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @TempDir Path folder;

  private WritableKb writer;
  private RealDaemon daemon;

  @Test
  void itAsksAtIdleGivesWayToAChangeAndGoesOnAfterItsEnd() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1), 100);
    daemon = daemon();
    try (RealDaemon mine = daemon) {
      mine.start(writer.kb().folder());
      AtomicReference<JsonNode> asking = new AtomicReference<>();
      await(
          () -> {
            asking.set(status().path("idleWork"));
            return answers().size() > 0 && asking.get().path("work").asText().equals("questions");
          });
      JsonNode idle = asking.get();
      assertEquals(writer.kb().folder().toString(), idle.path("kb").asText());
      assertTrue(idle.has("done") && idle.has("left") && idle.has("job"), idle.toString());

      long before = answers().size();
      await(() -> answers().size() > before);
      writer.append("cli", "Input enters at the planner and passes the router.");
      await(() -> entriesInReport() == 101);

      await(() -> answers().size() > before && !status().path("idleWork").isNull());
      Duration took = mine.end();
      assertTrue(took.toMillis() < 8_000 || OperatingSystem.load() > 1, "it took " + took);
      int kept = answers().size();
      mine.start(writer.kb().folder());
      await(() -> status().at("/kbs/0/questionsLeft").asInt(-1) == 0 && isAtRest());
      assertTrue(answers().size() > kept, "there was nothing left to ask");
      assertTrue(status().at("/metrics/answers").asInt() > 0);
    }
    JsonNode report = report();
    assertEquals(101, report.path("entries").size());
    report.path("entries").forEach(l -> assertEquals("MODEL", l.at("/guess/origin").asText()));
    assertFalse(report.path("languageModel").isNull());
  }

  /** Starts a daemon whose model has been measured; {@code IdleWorkTest} tests the measuring. */
  private RealDaemon daemon() throws Exception {
    Path home = folder.resolve("home");
    RealDaemon made = new RealDaemon(home, Program.DIST, List.of());
    String model = GoldenModel.Q8_0.path().toAbsolutePath().toString();
    String cache = made.cache().resolve("helix-bg").toString();
    String state = home.resolve(".local/state/helix-bg").toString();
    KnownTrial.of(
        DaemonFixture.settings(home, Map.of("llm.model", model, "cache", cache, "state", state)));
    made.settings(
        """
        [daemon]
        poll_seconds = 0.2
        quiet_seconds = 0.2
        model_quiet_minutes = 0.01
        model_max_load = 1000
        [llm]
        model = "%s"
        """
            .formatted(model));
    return made;
  }

  /** Whether nothing happens for two seconds; all answers are then in the report. */
  private boolean isAtRest() throws Exception {
    for (int i = 0; i < 20; i++) {
      JsonNode status = status();
      if (!status.path("idleWork").isNull() || !status.at("/kbs/0/upToDate").asBoolean()) {
        return false;
      }
      Thread.sleep(100);
    }
    return true;
  }

  private List<String> answers() {
    return daemon.stores().answers(writer.kb().folder());
  }

  private JsonNode report() throws IOException {
    return DaemonFixture.report(writer.kb());
  }

  private int entriesInReport() throws IOException {
    return report().at("/log/liveEntries").asInt();
  }

  private JsonNode status() {
    return daemon.status().orElseGet(() -> new ObjectMapper().createObjectNode());
  }

  private void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertTrue(
          System.nanoTime() - deadline < 0, () -> "waited in vain: " + status() + lastWords());
      Thread.sleep(50);
    }
  }

  private String lastWords() {
    try {
      return daemon.log();
    } catch (IOException e) {
      return e.toString();
    }
  }
}
