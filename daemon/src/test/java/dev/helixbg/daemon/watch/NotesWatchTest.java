package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.kb.NotesKb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a daemon that watches a folder of notes, with a clock that the test advances. */
class NotesWatchTest {
  @TempDir private Path home;
  private Path notes;
  private NotesKb kb;
  private DaemonFixture daemon;

  @BeforeEach
  void start() throws IOException {
    notes = Files.createDirectories(home.resolve("vault/sub"));
    for (int i = 0; i < 4; i++) {
      Files.writeString(notes.resolve(i + ".md"), "# Note " + i + "\n\nText.");
    }
    kb = NotesKb.at(home.resolve("vault"), DaemonFixture.settings(home, Map.of()));
    daemon = new DaemonFixture(home, kb.make());
  }

  @Test
  void changedNotesAreTakenIn() throws Exception {
    daemon.run(Duration.ofMinutes(3));
    assertEquals(4, daemon.report().at("/notes/files").asInt());
    assertEquals(4, daemon.report().at("/log/liveEntries").asInt());
    Files.writeString(notes.resolve("new.md"), "Another.");
    Files.delete(notes.resolve("0.md"));
    Files.write(notes.resolve("data.md"), new byte[] {1, 0, 2, 0, 0});
    daemon.run(Duration.ofMinutes(3));
    assertEquals(4, daemon.report().at("/log/liveEntries").asInt());
    assertEquals("sub/data.md", daemon.report().at("/notes/leftOut/files/0/path").asText());
    assertEquals("sub/new.md", daemon.report().at("/entries/3/name").asText());
  }

  @Test
  void notesThatAreGoneAreATroubleAndTheReportStays() throws Exception {
    daemon.run(Duration.ofMinutes(3));
    Path away = home.resolve("away");
    Files.move(home.resolve("vault"), away);
    daemon.run(Duration.ofMinutes(1));
    assertTrue(
        daemon.watch.trouble().orElse("").contains("is neither a folder nor a regular file"),
        "" + daemon.watch.trouble());
    assertEquals(4, daemon.report().at("/log/liveEntries").asInt());
    Files.move(away, home.resolve("vault"));
    daemon.run(Duration.ofMinutes(10));
    assertFalse(daemon.watch.trouble().isPresent(), "" + daemon.watch.trouble());
  }
}
