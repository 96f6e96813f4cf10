package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.cli.HelixBg;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.log.DataLogBytes;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OneShotIT {
  @TempDir Path home;

  @TempDir Path folder;

  /** Option against the trial of the other embedding method, which takes 10 s for many texts. */
  private static final String ONE_PRECISION = "--set=embed.precision=int8";

  private static final Path LIB = Program.DIST.resolve("lib");

  /**
   * Program with its own home for each test. In a shared home, a KB could get a deleted KB's store.
   */
  private Program program;

  @BeforeEach
  void putTheModelThere() throws Exception {
    program = new Program(home).withModel().withoutC2();
  }

  private static Path kb(Path folder, DataLogBytes log) throws IOException {
    Files.createDirectories(folder);
    Files.write(folder.resolve("data.log"), log.toByteArray());
    return folder;
  }

  @Test
  void theSampleTellsWhatWasPlantedInIt() throws Exception {
    Program.Ended ended = program.run("one-shot", "--sample", "--json").ok();
    assertEquals("", ended.err());
    JsonNode report = ended.json();
    // Findings from sample/PLANTED.md that are within the default limits.
    assertEquals(
        List.of(
            "photo-pipeline:1 photo-pipeline:7",
            "sync-protocol:1 sync-protocol:7",
            "job-queue:2 database:4"),
        pairs(report, "near-duplicate"));
    // In the other planted pairs, one entry has a link to the other.
    assertEquals(
        List.of("object-storage:2 operations:3", "auth:2 login-sessions:3"),
        pairs(report, "cross-link"));
    assertEquals("auth", report.at("/topicOverlaps/0/a").asText());
    assertEquals("login-sessions", report.at("/topicOverlaps/0/b").asText());
    assertEquals(1, report.get("topicOverlaps").size());
    Path insights = program.cache().resolve("sample-kb/insights");
    assertEquals(ended.out(), Files.readString(insights.resolve("report.json")));
    assertTrue(Files.readString(insights.resolve("report.html")).contains("</html>"));
    assertTrue(Files.readString(insights.resolve("report.md")).contains("login-sessions"));
  }

  private static List<String> pairs(JsonNode report, String kind) {
    return report.get("relations").findParents("kind").stream()
        .filter(pair -> pair.get("kind").asText().equals(kind))
        .map(pair -> pair.at("/a/name").asText() + " " + pair.at("/b/name").asText())
        .toList();
  }

  @Test
  void theSameKbGivesTheSameBytesWhateverTheThreads() throws Exception {
    Path one = GeneratedKb.write(folder.resolve("one"), 24);
    Path four = GeneratedKb.write(folder.resolve("four"), 24);
    program.run("one-shot", one.toString(), "--set", "threads=1").ok();
    program.run("one-shot", four.toString(), "--set", "threads=4").ok();
    for (String file :
        List.of(
            "embeddings.bin",
            "insights/report.html",
            "insights/report.md",
            "insights/report.json")) {
      assertArrayEquals(
          Files.readAllBytes(one.resolve(file)), Files.readAllBytes(four.resolve(file)), file);
    }
  }

  @Test
  void aReportThatIsUpToDateIsLeftAloneAndAnotherOneInItsPlaceIsNot() throws Exception {
    Path kb = GeneratedKb.write(folder.resolve("kb"), 4);
    String said = program.run("one-shot", kb.toString()).out();
    Path json = kb.resolve("insights/report.json");
    FileState state = FileState.of(json);
    assertEquals(said, program.run("one-shot", kb.toString()).out());
    String report = Files.readString(json);
    assertEquals(report, program.run("one-shot", kb.toString(), "--json").out());
    assertEquals(state, FileState.of(json), "nothing was to be done");

    // A foreign report of equal size and time is not trusted, and the next run replaces it.
    String findings = program.run("findings", kb.toString()).out();
    FileTime time = Files.getLastModifiedTime(json);
    Files.writeString(json, report.replace("\"rel-", "\"red-"));
    Files.setLastModifiedTime(json, time);
    assertEquals(findings, program.run("findings", kb.toString()).out());
    assertEquals(report, program.run("one-shot", kb.toString(), "--json").out());
    assertEquals(report, Files.readString(json));
  }

  @Test
  void theReportOfAnotherBuildIsMadeAnew() throws Exception {
    String built = Files.readString(Program.DIST.resolve("built")).strip();
    assertTrue(
        built.matches(
            "\\d[\\d.]*(-SNAPSHOT)?\\+([0-9a-f]{10}(-dirty-[0-9a-f]{8})?|src-[0-9a-f]{8})"),
        built);
    assertTrue(program.run("--version").out().startsWith("helix-bg " + built + " (Java "));
    Path kb = GeneratedKb.write(folder.resolve("kb"), 4);
    program.run("one-shot", kb.toString()).ok();
    assertEquals(built, DaemonFixture.report(new Kb(kb)).path("version").asText());

    Program later =
        new Program(home)
            .byJava(
                Program.WITHOUT_C2,
                "--add-opens",
                "java.base/java.io=ALL-UNNAMED",
                "-cp",
                anotherBuild("0.1.0+0123456789") + ":" + LIB + "/*",
                HelixBg.class.getName());
    later.run("one-shot", kb.toString()).ok();
    assertEquals("0.1.0+0123456789", DaemonFixture.report(new Kb(kb)).path("version").asText());
  }

  private Path anotherBuild(String version) throws IOException {
    Path jar = folder.resolve("helix-bg.jar");
    Files.copy(LIB.resolve("helix-bg.jar"), jar);
    try (FileSystem inside = FileSystems.newFileSystem(jar)) {
      Files.writeString(
          inside.getPath("dev/helixbg/daemon/terminal/build-version"),
          version,
          StandardOpenOption.TRUNCATE_EXISTING);
    }
    return jar;
  }

  private Program.Ended run(List<String> wrapper, Path kb, Path own, String state)
      throws Exception {
    String cache = "--set=cache=" + own.resolve("helix-bg");
    return program.run(
        wrapper, "one-shot", kb.toString(), cache, "--set=state=" + own.resolve(state));
  }

  /** Root ignores permissions, so as root the test runs the program as the user nobody. */
  @Test
  void whatMayNotBeReadOrWrittenIsOneClearError() throws Exception {
    Path kb = GeneratedKb.write(home.resolve("not-mine"), 3);
    Path own = Files.createDirectory(folder.resolve("own"));
    List<String> asNobody = List.of();
    if (System.getProperty("user.name").equals("root")) {
      ExternalTool.require("setpriv");
      asNobody = ExternalTool.AS_NOBODY;
      for (Path path : List.of(home, kb, kb.resolve("data.log"), folder)) {
        path.toFile().setReadable(true, false);
        path.toFile().setExecutable(true, false);
      }
      PreparedModel.copyInto(own, Program.DIST);
      assertTrue(ExternalTool.succeeds("chown", "-R", "65534:65534", own.toString()));
    }
    OnDisk.setMode(kb, "r-xr-xr-x");
    Program.Ended ended = run(asNobody, kb, own, "state").ok();
    assertTrue(ended.err().contains("is not writable: the report is in " + own), ended.err());
    assertTrue(ended.out().contains("Report: " + own), ended.out());

    OnDisk.setMode(own, "r-x------");
    ended = run(asNobody, kb, own, "other").with(ExitCode.WRITE);
    assertTrue(ended.err().contains("state = "), ended.err());
    OnDisk.setMode(own, "rwx------");

    Files.setPosixFilePermissions(kb.resolve("data.log"), Set.of());
    ended = run(asNobody, kb, own, "state").with(ExitCode.KB);
    assertTrue(ended.err().contains("may not be read"), ended.err());
    OnDisk.setMode(kb, "rwxr-xr-x");
  }

  @Test
  void ctrlCKeepsWhatWasDoneAndTheNextRunGoesOnFromThere() throws Exception {
    Path kb = GeneratedKb.write(folder.resolve("kb"), 2_000);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    List<String> heeding = ExternalTool.heedingCtrlC();
    Process process = program.start(heeding, out, err, "one-shot", ONE_PRECISION, kb.toString());
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (rows(kb) == 0 && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    assertTrue(ExternalTool.succeeds("kill", "-INT", Long.toString(process.pid())));
    assertTrue(process.waitFor(5, TimeUnit.MINUTES), "still running");
    assertEquals(ExitCode.INTERRUPTED.number(), process.exitValue());
    assertTrue(Files.readString(err).contains("interrupted; finished work is kept"));
    int kept = rows(kb);
    assertTrue(kept > 0 && kept < 2_000, kept + " rows");
    JsonNode verified = program.run("verify", ONE_PRECISION, kb.toString(), "--json").json();
    List<String> wouldDo = new ArrayList<>();
    verified.path("aRunWould").forEach(step -> wouldDo.add(step.asText()));
    assertTrue(wouldDo.contains("embed %,d entries".formatted(2_000 - kept)), wouldDo::toString);
    program
        .stores()
        .with(
            kb,
            store -> {
              store.lock().close(); // succeeds only if no process has the lock
              return null;
            });
    assertFalse(Files.exists(kb.resolve("insights/report.json")));
  }

  private int rows(Path kb) {
    return program.stores().vectors(kb);
  }

  @Test
  void whatCannotBeDoneEndsWithOneLineAndItsExitCode() throws Exception {
    Path nothing = folder.resolve("nothing");
    Path notALog = Files.createDirectories(folder.resolve("not-a-log"));
    Files.writeString(notALog.resolve("data.log"), "something else");
    Path blocked = GeneratedKb.write(folder.resolve("blocked"), 3);
    Files.createFile(blocked.resolve("insights"));
    assertEnds(ExitCode.USAGE, "one-shot", "--sampel");
    assertEnds(ExitCode.USAGE, "one-shoot");
    assertEnds(ExitCode.USAGE, "one-shot", "--set", "threads=lots");
    assertEnds(ExitCode.USAGE, "one-shot", "--set", "embed.tokens=1");
    assertEnds(ExitCode.USAGE, "one-shot", "--sample", nothing.toString());
    assertEnds(ExitCode.KB, "one-shot");
    assertEnds(ExitCode.KB, "one-shot", nothing.toString());
    assertEnds(ExitCode.KB, "one-shot", notALog.toString());
    assertEnds(ExitCode.WRITE, "one-shot", blocked.toString());
    assertEnds(ExitCode.MODEL, "one-shot", "--sample", "--set", "embed.provider=coreml");
  }

  private void assertEnds(ExitCode code, String... arguments) throws Exception {
    Program.Ended ended = program.run(arguments);
    String context = String.join(" ", arguments) + "\n" + ended.err();
    assertEquals(code.number(), ended.code(), context);
    assertEquals("", ended.out(), context);
    assertTrue(ended.err().startsWith("helix-bg: "), context);
    assertTrue(ended.err().lines().count() <= 2, context);
    assertFalse(ended.err().contains("\tat "), context);
  }

  @Test
  void damageIsReportedWhereverAUserLooks() throws Exception {
    DataLogBytes log = new DataLogBytes();
    log.entry("topic", "whole", 29_000_000);
    int torn = log.size();
    log.raw((byte) 1, (byte) 5, (byte) 200);
    Path kb = kb(folder.resolve("kb"), log);
    Program.Ended ended = program.run("one-shot", kb.toString(), "--json");
    JsonNode damage = ended.json().at("/log/damage/0");
    assertEquals(torn, damage.get("offset").asInt());
    assertEquals(3, damage.get("unreadableBytes").asInt());
    assertTrue(program.run("verify", kb.toString()).out().contains("at offset " + torn));
  }

  @Test
  void doctorChecksEachThingAndNamesWhatIsMissing() throws Exception {
    JsonNode checks = program.run("doctor", "--json").json().get("checks");
    List<String> problems =
        checks.findParents("name").stream()
            .filter(check -> check.get("state").asText().equals("problem"))
            .map(check -> check.get("name").asText())
            .toList();
    assertEquals(List.of("knowledge base"), problems);
    assertTrue(checks.size() >= 7, checks.toString());
    Path kb = GeneratedKb.write(folder.resolve("kb"), 3);
    program.with("HELIX_KB", kb.toString()).run("doctor").ok();
  }

  @Test
  void embedTestShowsThatLikeIsNearLike() throws Exception {
    JsonNode test = program.run("embed-test", "--json").json();
    JsonNode pairs = test.get("pairs");
    double same = pairs.get(0).get("similarity").asDouble();
    double unrelated = pairs.get(2).get("similarity").asDouble();
    assertTrue(same > 0.8 && unrelated < 0.2, pairs.toString());
    assertEquals(384, test.at("/texts/0/dimension").asInt());
  }
}
