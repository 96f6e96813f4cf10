package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that an entry with a secret is listed, and that no file except the log contains the secret.
 */
class SecretFindingsTest {
  /** A fake secret, put together here, so that no scanner reports this file as a leak. */
  private static final String SECRET = "ghp_" + "Q7bR2kT9vX4mZ8nL1cW5yH3pJ6sD0fGaEuIo";

  @TempDir Path folder;

  private Kb kb;
  private KbStore store;
  private FileHelix helix;

  @BeforeEach
  void aKbWithASecret() throws Exception {
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    helix = new FileHelix(kb.dataLog());
    for (String text :
        List.of(
            "Deploy with " + SECRET + " from the build machine.",
            "Deploy by " + SECRET + " from the build machine.",
            "The build machine has two cores.")) {
      helix.call("store", "topic", "shop", "text", text);
    }
    store = DaemonFixture.store(folder, kb);
  }

  private void report() throws Exception {
    DaemonFixture.publish(DaemonFixture.settings(folder, Map.of()), store);
  }

  private FindingRequests findings() throws Exception {
    return new FindingRequests(
        store, Optional.empty(), PresentFindings.read(kb, new FakeModel().id()));
  }

  private List<ObjectNode> listed() throws Exception {
    List<ObjectNode> lines = findings().list(Json.object().put("kind", "secret"));
    return lines.subList(1, lines.size());
  }

  private void decide(String id, String decision) throws Exception {
    ObjectNode request = Json.object().put("id", id).put("decision", decision);
    findings().decide(request, Instant.EPOCH);
  }

  private boolean isWritten(String text) throws Exception {
    return isIn(kb.insights(), text) || isIn(store.folder(), text);
  }

  private static boolean isIn(Path folder, String text) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text)) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void noFindingHoldsASecretInClear() throws Exception {
    report();
    assertTrue(isIn(kb.folder(), SECRET), "the log holds it, and it can be found");
    assertFalse(isWritten(SECRET.substring(10, 30)), "not even a part");
    assertTrue(isWritten("Deploy with ****"));
    List<ObjectNode> found = listed();
    assertEquals(2, found.size());
    assertFalse(found.toString().contains(SECRET));
  }

  @Test
  void itIsDismissedAndDoneAsOthersAre() throws Exception {
    report();
    String last = listed().getLast().path("id").asText();
    assertTrue(
        assertThrows(Failure.class, () -> decide(last, "done"))
            .getMessage()
            .contains("have not changed"));
    decide(listed().getFirst().path("id").asText(), "dismissed");
    assertEquals(1, listed().size());
    report();
    assertEquals(1, listed().size());
    byte[] log = Files.readAllBytes(kb.dataLog());
    helix.call("edit", "action", "delete", "topic", "shop", "match_str", "Deploy by");
    decide(last, "done");
    report();
    assertEquals(0, listed().size());
    Files.write(kb.dataLog(), log);
    report();
    assertEquals(1, listed().size(), "what is done is listed if it is there again");
    assertTrue(
        assertThrows(Failure.class, () -> findings().act(Json.object().put("id", last)))
            .getMessage()
            .startsWith("helix-bg plans no edit for " + last));
  }
}
