package dev.helixbg.daemon.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
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
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.acts.HelixTools;
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

/** Tests findings about moved source files: the setting, the calls of helix, and the result. */
class MovedSourcesTest {
  private static final String FIRST = "2001-01-01T12:00";
  private static final String LEASE =
      "int leaseSeconds = 30;\nint leaseOwner = 1;\nint leaseName = 2;\n";
  private static final String LATER = "2060-01-01T12:00";

  @TempDir Path folder;

  private FileHelix helix;
  private GitFixture shop;
  private Kb kb;
  private Settings settings;
  private KbStore store;

  @BeforeEach
  void aKbAboutAShop() throws Exception {
    shop = new GitFixture(folder.resolve("shop"));
    shop.write("src/Lease.java", LEASE).write("src/Main.java", "new Gateway();\n").commit(FIRST);
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    helix = new FileHelix(kb.dataLog());
    helix.call(
        "store", "topic", "shop", "text", "[source: src/Lease.java:2]\nA lease has one owner.");
    helix.call("store", "topic", "shop", "text", "The start in src/Main.java is slow.");
    settings = DaemonFixture.settings(folder, Map.of("sources", shop.folder().toString()));
    store = DaemonFixture.store(folder, kb);
  }

  private ReportBasis basis() {
    return DaemonFixture.pipeline(settings, new FakeModel(), DaemonFixture.NO_READING).basis(store);
  }

  private void report() throws Exception {
    DaemonFixture.publish(settings, store);
  }

  private void moveAll() throws Exception {
    shop.move("src/Lease.java", "core/JobLease.java").delete("src/Main.java").commit(LATER);
  }

  private List<ObjectNode> listed() throws Exception {
    List<ObjectNode> lines = findings().list(Json.object().put("kind", "source"));
    return lines.subList(1, lines.size());
  }

  private FindingRequests findings() throws Exception {
    return new FindingRequests(
        store, Optional.empty(), PresentFindings.read(kb, new FakeModel().id()));
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
        ObjectNode looked = findings().act(call.path("arguments").deepCopy());
        assertTrue(looked.path("holds").asBoolean(), looked.toString());
      } else {
        helix.call(call.path("name").asText(), HelixTools.arguments(call));
      }
    }
    assertTrue(Files.readString(kb.dataLog(), ISO_8859_1).contains("[source: core/JobLease.java]"));
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
    ReportBasis before = basis();
    assertEquals(before, basis());
    moveAll();
    assertNotEquals(before, basis());
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
    shop.write("src/Lease.java", LEASE);
    moveAll();
    daemon.run(Duration.ofMinutes(5));
    assertEquals(2, sections().path("movedSources").size());
    readings = daemon.files.readings;
    daemon.run(Duration.ofDays(1));
    assertEquals(readings, daemon.files.readings, "and then rests");
  }
}
