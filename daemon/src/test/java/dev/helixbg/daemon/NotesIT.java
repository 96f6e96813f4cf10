package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.terminal.Console;
import io.modelcontextprotocol.client.McpSyncClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotesIT {
  private static final String LEASE =
      "The lease of a worker is renewed every ten seconds; after three misses the job goes back.";

  @TempDir private Path folder;
  private Path home;
  private Path vault;
  private Program program;

  @BeforeEach
  void write() throws IOException {
    home = Files.createDirectories(folder.resolve("home"));
    Path cache = Path.of(TestAgent.environment(home).get("XDG_CACHE_HOME"));
    PreparedModel.linkInto(cache, Program.DIST);
    program = new Program(home).withoutC2().with("XDG_CACHE_HOME", cache.toString());
    vault = folder.resolve("my vault");
    note("queue/lease.md", "---\ntags: [queue]\n---\n# Leases\n\n" + LEASE);
    note("Daily Notes/2024-05-06.md", "Learned today. " + LEASE + " See [[thumbs]].");
    note("photos/thumbs.md", "# Thumbnails\n\nThumbnails are made by libvips in three sizes.");
    note("photos/copy.md", "# Thumbnails\n\nThumbnails are made by libvips in three sizes.");
    Files.write(vault.resolve("binary.md"), new byte[] {0, 1, 2, 0});
  }

  private void note(String path, String text) throws IOException {
    Path file = vault.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Program.Ended run(String... arguments) throws Exception {
    return program.run(arguments).ok();
  }

  private String notes() {
    return vault.toString();
  }

  private List<Path> all() throws IOException {
    try (Stream<Path> files = Files.walk(vault)) {
      return files.sorted().toList();
    }
  }

  @Test
  void aFolderIsReadSearchedAndTidied() throws Exception {
    List<Path> before = all();
    Program.Ended made = run("one-shot", "--notes", notes(), "--copy-report", folder + "/out");
    assertTrue(
        made.err().contains("1 file was left out, it is binary.md (binary, or"),
        "said: " + made.err());
    String html = Files.readString(folder.resolve("out/report.html"));
    assertTrue(html.contains("Insights into a folder of notes"), "what it is");
    assertTrue(html.contains("binary.md"), "and what was left out");
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out/report.json").toFile());
    assertEquals(4, report.at("/notes/files").asInt());
    assertEquals(1, report.at("/notes/leftOut/total").asInt());
    String copies = report.at("/copies/0/id").asText();
    assertEquals("photos/copy.md", report.at("/copies/0/entries/0/name").asText());

    // A pair of a note and a journal entry is not a leading finding.
    assertFalse(run("findings", "--notes", notes()).out().contains("queue/lease.md"));
    assertTrue(run("findings", "--all", "--notes", notes()).out().contains("queue/lease.md"));
    String act = run("act", "--notes", notes(), copies).out();
    assertTrue(act.contains("photos/thumbs.md") && act.contains("by hand"), act);
    assertFalse(act.contains("call "), act);
    assertTrue(act.contains(vault.toRealPath().toString()), act);
    String found = run("search", "--notes", notes(), "-n", "1", "when is a lease renewed").out();
    assertTrue(found.contains("queue/lease.md") || found.contains("2024-05-06.md"), found);
    assertTrue(run("verify", "--notes", notes()).out().contains("A run would change nothing"));

    String one = run("findings", "--notes", notes(), copies).out();
    String how = "helix-bg act " + copies + " --notes " + Console.shellWord(notes());
    assertTrue(one.contains(how), one);

    run("dismiss", "--notes", notes(), copies);
    assertFalse(run("findings", "--notes", notes()).out().contains(copies));
    Files.delete(vault.resolve("photos/copy.md"));
    JsonNode after = run("one-shot", "--notes", notes(), "--json").json();
    assertEquals(0, after.path("copies").size());
    assertEquals(3, after.at("/log/liveEntries").asInt());

    before = before.stream().filter(file -> !file.endsWith("copy.md")).toList();
    assertEquals(before, all(), "nothing was written into the folder");
  }

  @Test
  void whatIsNamedWrongIsSaid() throws Exception {
    Program.Ended two = program.run("one-shot", "--notes", notes(), notes());
    assertEquals(2, two.code());
    assertTrue(two.err().contains("leave out one"), two.err());
    Program.Ended kb = program.run("one-shot", notes());
    assertEquals(3, kb.code());
    assertTrue(kb.err().contains("--notes " + notes()), kb.err());
  }

  private String ask(Path notes, String tool, Map<String, Object> arguments) throws IOException {
    String launcher = Program.ROOT.resolve("scripts/helix-bg").toString();
    McpSyncClient client =
        TestAgent.of(launcher, home, List.of("--notes", notes.toString()), line -> {})
            .requestTimeout(Duration.ofMinutes(5))
            .build();
    try {
      client.initialize();
      return TestAgent.ask(client, tool, arguments).toString();
    } finally {
      client.closeGracefully();
    }
  }

  @Test
  void aMemoryFileIsListedByLineAndAgentsAskIt() throws Exception {
    Path memory = folder.resolve("MEMORY.md");
    Files.writeString(
        memory,
        """
        # Memory

        ## Build
        - Use `mvnd` for local builds, it keeps the daemon warm.
        - Tests need Docker running; without it the integration tests hang.
        - Local builds: run mvnd instead of mvn, because the daemon stays warm between builds.
        ## Queue
        - (2026-03-02) The lease of a job ends after 30 s.
        - (2026-05-14) Leases of jobs now last 60 s, not 30 s.
        """);
    String summary = run("one-shot", "--notes", memory.toString()).out();
    assertTrue(summary.contains("MEMORY.md: 5 entries (items of lists), "), summary);
    assertTrue(summary.contains("MEMORY.md:4 ~ MEMORY.md:6"), summary);
    String list = run("findings", "--notes", memory.toString()).out();
    assertTrue(list.contains("MEMORY.md:8") && list.contains("MEMORY.md:9"), list);
    JsonNode report = run("one-shot", "--json", "--notes", memory.toString()).json();
    assertEquals(5, report.at("/notes/memory/0/entries").asInt());
    assertTrue(report.at("/notes/memory/0/tokensSaved").asInt() > 0, report.at("/notes") + "");

    String text = "Tests need Docker running; without it the integration tests hang.";
    String related = ask(memory, "related", Map.of("text", text));
    assertTrue(related.contains("MEMORY.md#Build"), related);
    String findings = ask(memory, "findings", Map.of());
    assertTrue(findings.contains("Use `mvnd` for local builds"), findings);
  }

  @Test
  void theDaemonFollowsTheNotes() throws Exception {
    RealDaemon daemon = RealDaemon.hasty(home);
    daemon.startWith("--notes", notes());
    try {
      daemon.awaitUpToDate(4, Duration.ofMinutes(5));
      note("queue/new.md", "Jobs that fail three times are parked.");
      daemon.awaitUpToDate(5, Duration.ofMinutes(5));
      assertTrue(run("status").out().contains(vault.toRealPath() + " (notes)"));
      String found = run("search", "--notes", notes(), "-n", "1", "parked jobs").out();
      assertTrue(found.contains("queue/new.md"), found);
    } finally {
      program.run("stop");
      daemon.process().waitFor();
    }
  }
}
