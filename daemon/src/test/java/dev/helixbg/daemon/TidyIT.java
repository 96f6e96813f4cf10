package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.insight.log.DataLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900)
class TidyIT {
  @TempDir Path folder;
  private String kb;
  private Program program;

  @BeforeEach
  void prepare() throws Exception {
    kb = SaidTwice.in(folder.resolve("kb")).kb().folder().toString();
    StandInServer.install(folder.resolve("bin/helix"), Program.DIST);
    program =
        new Program(Files.createDirectories(folder.resolve("home")))
            .withModel()
            .withoutC2()
            .with("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"))
            .with("TERM", "dumb");
  }

  private void makeReport() throws Exception {
    program.run("one-shot", kb).ok();
  }

  private int entries() {
    return DataLog.read(folder.resolve("kb/data.log")).entries().size();
  }

  private Program.Ended act(String... more) throws Exception {
    String id = program.run("findings", kb, "--json").json().at("/findings/0/id").asText();
    Stream<String> act = Stream.of("act", id, kb, "--as", "same", "--run");
    return program.run(Stream.concat(act, Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void aScriptCarriesAnActOutAndIsToldWhatIsNotDone() throws Exception {
    makeReport();
    act("--dry-run").ok();
    assertEquals(5, entries());

    Path stranger = StandInServer.install(folder.resolve("other/helix"), Program.DIST, "editor");
    Program.Ended refused = act("--set", "helix.command=" + stranger).with(ExitCode.UNDONE);
    assertTrue(refused.err().contains("it calls itself editor"), refused.err());
    assertEquals(5, entries());

    assertEquals("done", act("--json").ok().json().path("state").asText());
    assertEquals(4, entries());
  }

  @Test
  void whatIsHalfDoneIsSaid() throws Exception {
    makeReport();
    Path dying = StandInServer.install(folder.resolve("other/helix"), Program.DIST, "helix", "1");
    Program.Ended stopped = act("--set", "helix.command=" + dying).with(ExitCode.PARTLY);
    assertTrue(stopped.out().contains("(helix-bg: "), stopped.out());
    assertEquals(5, entries());
  }

  @Test
  void offATerminalItNamesOtherCommands() throws Exception {
    Program.Ended ended = program.run("tidy", kb).with(ExitCode.USAGE);
    assertTrue(ended.err().contains("helix-bg findings"), ended.err());
    assertTrue(ended.err().contains("--run"), ended.err());
  }

  @Test
  void atAPseudoTerminalAFindingIsDoneInFourKeys() throws Exception {
    ExternalTool.require("script");
    makeReport();
    Path out = folder.resolve("screen");
    String command = Program.ROOT.resolve("scripts/helix-bg") + " tidy " + kb;
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
    assertEquals(4, entries());
    assertTrue(program.run("findings", kb, "--settled").out().contains("done"));
  }

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
