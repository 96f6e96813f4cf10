package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.ReportFile;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.Reviews;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.ReviewHistory;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A KB that somebody else made cannot have helix-bg write outside it, or show what is private. */
class ForeignKbTest {
  private static final String VICTIM = "alias ls='ls --color'\n";

  @TempDir Path folder;
  private Path victim;
  private Kb kb;

  @BeforeEach
  void prepare() throws IOException {
    victim = Files.writeString(folder.resolve(".zshrc"), VICTIM);
    kb = new Kb(Files.createDirectory(folder.resolve("kb")));
    Files.createFile(kb.dataLog());
  }

  /** All that writes in {@code insights}, by the name of the file. */
  private Executable writer(String name) {
    return switch (name) {
      case ReviewHistory.NAME -> () -> new ReviewHistory(kb.insights()).append(review());
      case DecisionFile.NAME -> () -> new DecisionFile(kb.insights()).append(List.of(decision()));
      case "answers.jsonl" -> () -> new AnswerFile(kb.answers(), true).add(answer());
      case KbCursor.NAME -> () -> cursor().write(kb, new ReportSeal(folder));
      case "report.html" -> () -> ReportFolder.of(kb).write(report());
      default -> () -> KbLock.take(kb).close();
    };
  }

  private static KbCursor cursor() {
    return new KbCursor("a", new Pipeline.Basis("b", "c", ""), "d", 0, "");
  }

  private Report report() {
    return new Report(
        Analysis.run(
            List.of(),
            new Vectors(0, 1, new float[0]),
            PassageVectors.NONE,
            DaemonFixture.settings(folder, Map.of()).insight(),
            1),
        new LogAccount(0, "ab", 0, 0, 0, List.of()),
        new Report.Run("1", "none"),
        Judgements.NONE,
        List.of());
  }

  private static Review review() {
    return new Review(
        Review.Kind.DRIFT,
        Optional.empty(),
        Instant.EPOCH,
        "ab",
        Optional.empty(),
        "nothing",
        List.of(),
        List.of());
  }

  private static Decision decision() {
    return new Decision("dup-3f9a01c2d4", Decision.Verdict.DONE, Instant.EPOCH, "a ~ b");
  }

  private static Map<AnswerFile.Id, Answer> answer() {
    return Map.of(
        new AnswerFile.Id(QuestionKind.LABEL, "v", "m", "k"),
        new Answer("gap", 1, "gotcha", 0, false));
  }

  @ParameterizedTest
  @ValueSource(strings = {ReviewHistory.NAME, DecisionFile.NAME, "answers.jsonl", ".helix-bg.lock"})
  void aFileThatIsALinkIsNotWrittenThrough(String name) throws IOException {
    Files.createDirectory(kb.insights());
    Files.createSymbolicLink(kb.insights().resolve(name), victim);
    Exception refused = assertThrows(Exception.class, writer(name));
    assertTrue(refused.getMessage().contains("it is a link"), refused.getMessage());
    assertEquals(VICTIM, Files.readString(victim));
  }

  /** Nor does a link to nothing make a file elsewhere. */
  @ParameterizedTest
  @ValueSource(strings = {ReviewHistory.NAME, DecisionFile.NAME, "answers.jsonl", ".helix-bg.lock"})
  void aLinkToNothingMakesNothing(String name) throws IOException {
    Files.createDirectory(kb.insights());
    Path nothing = folder.resolve("authorized_keys");
    Files.createSymbolicLink(kb.insights().resolve(name), nothing);
    assertThrows(Exception.class, writer(name));
    assertFalse(Files.exists(nothing));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ReviewHistory.NAME,
        DecisionFile.NAME,
        "answers.jsonl",
        ".helix-bg.lock",
        KbCursor.NAME,
        "report.html"
      })
  void aFolderThatIsALinkIsNotWrittenThrough(String name) throws IOException {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Files.createSymbolicLink(kb.insights(), elsewhere);
    Exception refused = assertThrows(Exception.class, writer(name));
    assertTrue(refused.getMessage().contains("it is a link"), refused.getMessage());
    assertEquals(0, elsewhere.toFile().list().length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ReviewHistory.NAME,
        DecisionFile.NAME,
        "answers.jsonl",
        ".helix-bg.lock",
        KbCursor.NAME,
        "report.html"
      })
  void whatIsNewIsForItsUserAlone(String name) throws Throwable {
    writer(name).execute();
    assertEquals("rwx------", mode(kb.insights()));
    assertEquals("rw-------", mode(kb.insights().resolve(name)));
  }

  /** A KB that was moved away is not made again where it was. */
  @ParameterizedTest
  @ValueSource(strings = {ReviewHistory.NAME, DecisionFile.NAME, "answers.jsonl", ".helix-bg.lock"})
  void aKbThatIsGoneStaysGone(String name) throws IOException {
    Files.delete(kb.dataLog());
    Files.delete(kb.folder());
    assertThrows(Exception.class, writer(name));
    assertFalse(Files.exists(kb.folder(), LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void aReportKeepsTheModeThatItsUserGaveIt() throws IOException {
    Files.createDirectory(kb.insights());
    Path html = Files.writeString(kb.insights().resolve("report.html"), "old");
    Path json = Files.writeString(kb.insights().resolve("report.json"), "old");
    Files.setPosixFilePermissions(html, PosixFilePermissions.fromString("r--------"));
    Files.setPosixFilePermissions(json, PosixFilePermissions.fromString("rw-r-----"));
    ReportFolder.of(kb).write(report());
    assertTrue(Files.size(html) > 3);
    assertEquals("r--------", mode(html));
    assertEquals("rw-r-----", mode(json));
  }

  /** Whoever opened a pipe would wait for its other end for ever. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        ReviewHistory.NAME,
        DecisionFile.NAME,
        "answers.jsonl",
        ".helix-bg.lock",
        KbCursor.NAME,
        "report.json"
      })
  void aPipeInThePlaceOfAFileHangsNothing(String name) throws Exception {
    Files.createDirectory(kb.insights());
    Path pipe = kb.insights().resolve(name);
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    switch (name) {
      case KbCursor.NAME ->
          assertEquals(Optional.empty(), KbCursor.read(kb, new ReportSeal(folder)));
      case "report.json" ->
          assertThrows(
              Failure.class, () -> ReportFile.list(kb, new SealedReports(new ReportSeal(folder))));
      case ReviewHistory.NAME -> assertThrows(Failure.class, () -> Reviews.latest(kb));
      case DecisionFile.NAME -> assertThrows(Failure.class, () -> Pipeline.decisions(kb));
      default -> assertThrows(Exception.class, writer(name));
    }
  }

  @Test
  void theDaemonsOwnFilesAreAlikeAndFollowNoLinks() throws IOException {
    DaemonHome home = new DaemonHome(folder.resolve("home"));
    home.lock().close();
    assertEquals("rwx------", mode(home.folder()));
    Path lock = home.folder().resolve("helix-bg.lock");
    assertEquals("rw-------", mode(lock));
    Files.delete(lock);
    Files.createSymbolicLink(lock, victim);
    assertEquals(ExitCode.WRITE, assertThrows(Failure.class, home::lock).code());

    Files.createSymbolicLink(home.across(), Files.createDirectory(folder.resolve("shared")));
    assertThrows(Failure.class, () -> ReportFolder.in(home.across()).write(report()));
    assertEquals(0, folder.resolve("shared").toFile().list().length);
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
  }
}
