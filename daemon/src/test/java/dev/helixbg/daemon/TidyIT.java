package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.insight.log.DataLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The built program with a stand-in for helix: at a pseudo-terminal, and in a script. */
@Timeout(900)
class TidyIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Path home;
  private WritableKb kb;
  private Program program;

  @BeforeEach
  void prepare() throws Exception {
    home = Files.createDirectories(folder.resolve("home"));
    kb = SaidTwice.in(folder.resolve("kb"));
    StandInServer.install(folder.resolve("bin/helix"), Program.DIST);
    program =
        new Program(home)
            .withModel()
            .withoutC2()
            .with("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"))
            .with("TERM", "dumb");
  }

  private void makeReport() throws Exception {
    program.run("one-shot", folder.resolve("kb").toString()).ok();
  }

  private String kb() {
    return folder.resolve("kb").toString();
  }

  private List<String> texts() {
    return DataLog.read(folder.resolve("kb/data.log")).entries().stream()
        .map(one -> one.text().content())
        .toList();
  }

  private String id() throws Exception {
    Program.Ended list = program.run("findings", kb(), "--json");
    return JSON.readTree(list.out()).at("/findings/0/id").asText();
  }

  private Program.Ended act(String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("act", id(), kb(), "--as", "same"));
    arguments.addAll(List.of(more));
    return program.run(arguments.toArray(String[]::new));
  }

  @Test
  void aScriptCarriesAnActOutAndUndonesSayWhy() throws Exception {
    makeReport();
    Program.Ended planned = act("--run", "--dry-run");
    assertEquals(0, planned.code(), planned.err());
    assertEquals(5, texts().size());

    Path stranger = StandInServer.install(folder.resolve("other/helix"), Program.DIST, "editor");
    Program.Ended refused = act("--run", "--set", "helix.command=" + stranger);
    assertEquals(11, refused.code(), refused.err());
    assertTrue(refused.err().contains("it calls itself editor"), refused.err());
    assertEquals(5, texts().size());

    Program.Ended done = act("--run", "--json");
    assertEquals(0, done.code(), done.out() + done.err());
    assertEquals("done", JSON.readTree(done.out()).path("state").asText());
    assertEquals(4, texts().size());
  }

  @Test
  void whatIsHalfDoneIsSaid() throws Exception {
    makeReport();
    Path dying = StandInServer.install(folder.resolve("other/helix"), Program.DIST, "helix", "1");
    Program.Ended stopped = act("--run", "--set", "helix.command=" + dying);
    assertEquals(10, stopped.code(), stopped.out() + stopped.err());
    assertTrue(stopped.out().contains("(helix-bg: "), stopped.out());
    assertEquals(5, texts().size());
  }

  @Test
  void offATerminalItNamesOtherCommands() throws Exception {
    Program.Ended ended = program.run("tidy", kb());
    assertEquals(2, ended.code());
    assertTrue(ended.err().contains("helix-bg findings"), ended.err());
    assertTrue(ended.err().contains("--run"), ended.err());
  }

  @Test
  void atAPseudoTerminalAFindingIsDoneInFourKeys() throws Exception {
    ExternalTool.require("script");
    makeReport();
    Path out = folder.resolve("screen");
    String command = Program.ROOT.resolve("scripts/helix-bg") + " tidy " + kb();
    Process process =
        program
            .byCommand("script", "-qefc", command, "/dev/null")
            .start(List.of(), out, folder.resolve("errors"));
    try (TestScreen screen = new TestScreen(process, out, "dumb")) {
      screen.await(List.of("Why: "));
      screen.press("s", List.of("carry it out"));
      screen.press("\r", List.of("Done: "));
      screen.type("q");
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), screen.text());
      assertEquals(0, process.exitValue(), screen.text());
      assertTrue(screen.text().contains("1 done, 0 dismissed"), screen.text());
    }
    assertEquals(4, texts().size());
    assertTrue(program.run("findings", kb(), "--settled").out().contains("done"));
  }

  /** A little of scripts/check-helix tidy. */
  @Test
  void sessionsOfRandomKeysAndKillsLoseNothing() throws Exception {
    ExternalTool.require("script");
    Path work = Files.createDirectories(folder.resolve("random"));
    Map<String, Integer> counts =
        new CheckTidy(Program.ROOT, work, folder.resolve("bin/helix"), 49).run(2, 2);
    assertEquals(
        2,
        counts.entrySet().stream()
            .filter(one -> one.getKey().startsWith("sessions ended by"))
            .mapToInt(Map.Entry::getValue)
            .sum());
  }
}
