package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.StandInHelix;
import dev.helixbg.insight.sources.GitFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources that moved, from the settings to the calls of helix, and after them. */
class MovedSourcesTest {
  private static final String FIRST = "2001-01-01T12:00";
  private static final String LATER = "2060-01-01T12:00";

  @TempDir Path folder;

  private final StandInHelix helix = new StandInHelix();
  private GitFixture shop;
  private Kb kb;
  private Settings settings;
  private KbStore store;

  @BeforeEach
  void aKbAboutAShop() throws Exception {
    shop = new GitFixture(folder.resolve("shop"));
    shop.write(
            "src/Lease.java", "int leaseSeconds = 30;\nint leaseOwner = 1;\nint leaseName = 2;\n")
        .write("src/Main.java", "new Gateway();\n")
        .commit(FIRST);
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    helix("store", "topic", "shop", "text", "[source: src/Lease.java:2]\nA lease has one owner.");
    helix("store", "topic", "shop", "text", "The start in src/Main.java is slow.");
    settings = DaemonFixture.settings(folder, Map.of("sources", shop.folder().toString()));
    store = DaemonFixture.store(folder, kb);
  }

  private void helix(String tool, String... namesAndValues) throws Exception {
    helix.call(tool, HelixTools.arguments(namesAndValues));
    Files.write(kb.dataLog(), helix.log());
  }

  private Pipeline pipeline(Settings wanted) {
    return DaemonFixture.pipeline(wanted, new FakeModel(), DaemonFixture.NO_READING);
  }

  private void report() throws Exception {
    Pipeline pipeline = pipeline(settings);
    store.publish(DaemonFixture.whole(pipeline, store).report(), pipeline.basis(store), 0, "");
  }

  private void moveAll() throws Exception {
    shop.move("src/Lease.java", "core/JobLease.java").delete("src/Main.java").commit(LATER);
  }

  private List<ObjectNode> listed() throws Exception {
    ObjectNode request = Json.object().put("kind", "source");
    List<ObjectNode> lines = findings().list(request);
    return lines.subList(1, lines.size());
  }

  private PresentFindings present() throws Exception {
    return PresentFindings.read(kb, new FakeModel().id());
  }

  private FindingRequests findings() throws Exception {
    return new FindingRequests(store, Optional.empty(), present());
  }

  private ObjectNode act(String id) throws Exception {
    return findings().act(Json.object().put("id", id));
  }

  private void decide(String id, String decision) throws Exception {
    ObjectNode request = Json.object().put("id", id).put("decision", decision);
    findings().decide(request, Instant.EPOCH);
  }

  @Test
  void aMoveIsListedCarriedOutAndDone() throws Exception {
    report();
    assertEquals(List.of(), listed());
    moveAll();
    report();
    List<ObjectNode> found = listed();
    assertEquals(
        List.of("gone", "gone"), found.stream().map(one -> one.path("change").asText()).toList());
    String id = found.getFirst().path("id").asText();
    assertTrue(
        assertThrows(Failure.class, () -> decide(id, "done"))
            .getMessage()
            .contains("have not changed"));
    JsonNode act = act(id);
    assertTrue(act.path("byHand").isMissingNode(), act.toString());
    for (JsonNode call : act.path("calls")) {
      if (call.path("name").asText().equals("act")) {
        Files.write(kb.dataLog(), helix.log());
        ObjectNode looked = findings().act(call.path("arguments").deepCopy());
        assertTrue(looked.path("holds").asBoolean(), looked.toString());
      } else {
        helix.call(call.path("name").asText(), HelixTools.arguments(call));
      }
    }
    Files.write(kb.dataLog(), helix.log());
    assertTrue(
        new String(helix.log(), java.nio.charset.StandardCharsets.UTF_8)
            .contains("[source: core/JobLease.java]"));
    assertEquals(1, listed().size(), "the note says it no more, so that its finding is stale");
    decide(id, "done");
    report();
    assertEquals(
        List.of("src/Main.java"), listed().stream().map(o -> o.path("named").asText()).toList());
    String other = listed().getFirst().path("id").asText();
    assertTrue(act(other).path("byHand").asText().startsWith("only a reader of the entry"));
    decide(other, "dismissed");
    assertEquals(List.of(), listed());
    report();
    assertEquals(0, sections().path("movedSources").size());
  }

  private JsonNode sections() throws Exception {
    return new ObjectMapper().readTree(Files.readString(ReportFolder.of(kb).json()));
  }

  @Test
  void theBasisIsThatOfTheCommitAndReportsAreTheSameBytes() throws Exception {
    ReportBasis before = pipeline(settings).basis(store);
    assertEquals(before, pipeline(settings).basis(store));
    moveAll();
    assertNotEquals(before, pipeline(settings).basis(store));
    report();
    String once = Files.readString(ReportFolder.of(kb).json());
    shop.write("untracked.txt", "x");
    report();
    assertEquals(once, Files.readString(ReportFolder.of(kb).json()));
  }

  @Test
  void theDaemonSeesACommitAndNothingElse() throws Exception {
    DaemonFixture daemon =
        new DaemonFixture(folder, kb, Map.of("sources", shop.folder().toString()));
    daemon.run(Duration.ofMinutes(1));
    assertEquals(0, sections().path("movedSources").size());
    int readings = daemon.files.readings;
    shop.write("src/Lease.java", "not committed");
    daemon.run(Duration.ofMinutes(5));
    assertEquals(readings, daemon.files.readings);
    shop.write(
        "src/Lease.java", "int leaseSeconds = 30;\nint leaseOwner = 1;\nint leaseName = 2;\n");
    moveAll();
    daemon.run(Duration.ofMinutes(5));
    assertEquals(2, sections().path("movedSources").size());
    readings = daemon.files.readings;
    daemon.run(Duration.ofDays(1));
    assertEquals(readings, daemon.files.readings, "and then rests");
  }
}
