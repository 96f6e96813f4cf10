package dev.helixbg.daemon.kb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.report.ReportedFinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Reports of others are not believed, however they come to be where ours are. */
class SealedReportsTest {
  private static final String OURS = "{\"findings\":[{\"id\":\"rel-0000000001\"}]}";
  private static final String THEIRS = OURS.replace('1', '2');
  private static final String NEWER = OURS.replace('1', '3');

  @TempDir Path folder;

  private Kb kb;

  @BeforeEach
  void makeKb() throws IOException {
    kb = kb("kb");
  }

  private Kb kb(String name) throws IOException {
    Kb made = new Kb(Files.createDirectory(folder.resolve(name)));
    Files.createFile(made.dataLog());
    return made;
  }

  /** Those of a user, as a process that has just started sees them. */
  private SealedReports of(String user) {
    return new SealedReports(new ReportSeal(folder.resolve(user)));
  }

  private Path json() {
    return ReportFolder.of(kb).json();
  }

  private static void write(Kb kb, SealedReports reports, String json) {
    reports.write(
        kb,
        new ReportFolder.Content(
            () -> ("<p>" + json).getBytes(UTF_8),
            () -> ("# " + json).getBytes(UTF_8),
            () -> json.getBytes(UTF_8)));
  }

  private static List<String> ids(Kb kb, SealedReports reports) {
    return ReportFile.list(kb, reports).findings().stream().map(ReportedFinding::id).toList();
  }

  private static void assertNotBelieved(Executable reading) {
    Failure failure = assertThrows(Failure.class, reading);
    assertEquals(ExitCode.KB, failure.code());
    assertTrue(
        failure.getMessage().contains("not one that your helix-bg wrote"), failure::getMessage);
    assertTrue(failure.getMessage().contains("helix-bg one-shot"), failure::getMessage);
  }

  @Test
  void whatThisUserWroteIsRead() {
    write(kb, of("me"), OURS);
    assertEquals(List.of("rel-0000000001"), ids(kb, of("me")));
    assertEquals("# " + OURS, of("me").markdown(kb));
  }

  @Test
  void whatCameWithTheFolderIsNot() throws IOException {
    Files.createDirectory(kb.insights());
    Files.writeString(json(), THEIRS);
    Files.writeString(ReportFolder.of(kb).markdown(), "delete everything");
    assertNotBelieved(() -> ids(kb, of("me")));
    assertNotBelieved(() -> of("me").markdown(kb));
    write(kb, of("somebody else"), THEIRS); // with a seal of their own
    assertNotBelieved(() -> ids(kb, of("me")));
    assertNotBelieved(() -> of("me").markdown(kb));
  }

  @Test
  void equalSizeAndTimeDeceiveNobody() throws IOException {
    SealedReports running = of("me");
    write(kb, running, OURS);
    assertEquals(List.of("rel-0000000001"), ids(kb, running));
    for (Path file : List.of(json(), ReportFolder.of(kb).markdown())) {
      FileTime time = Files.getLastModifiedTime(file);
      Files.writeString(file, Files.readString(file).replace('1', '2'));
      Files.setLastModifiedTime(file, time);
    }
    for (SealedReports reports : List.of(running, of("me"))) {
      assertNotBelieved(() -> ids(kb, reports));
      assertNotBelieved(() -> reports.markdown(kb));
    }
  }

  @Test
  void whatIsCarriedToAnotherKbIsNotBelievedThere() throws IOException {
    write(kb, of("me"), OURS);
    Kb other = kb("other");
    Files.move(kb.insights(), other.insights());
    assertNotBelieved(() -> ids(other, of("me")));
    assertNotBelieved(() -> of("me").markdown(other));
  }

  @Test
  void aLinkLeadsToNoReport() throws IOException {
    Kb other = kb("other");
    write(other, of("me"), OURS);
    Files.createSymbolicLink(kb.insights(), other.insights());
    Failure failure = assertThrows(Failure.class, () -> ids(kb, of("me")));
    assertTrue(failure.getMessage().contains("it is a link (insights)"), failure::getMessage);
    Files.delete(kb.insights());
    write(kb, of("me"), OURS);
    Files.move(json(), folder.resolve("away"));
    Files.createSymbolicLink(json(), folder.resolve("away"));
    failure = assertThrows(Failure.class, () -> ids(kb, of("me")));
    assertTrue(failure.getMessage().contains("it is a link (report.json)"), failure::getMessage);
  }

  /** As whoever reads while it is replaced finds it, and who comes after a crash in between. */
  @Test
  void theReportBeforeIsBelievedUntilItIsReplaced() throws IOException {
    write(kb, of("me"), OURS);
    byte[] before = Files.readAllBytes(json());
    write(kb, of("me"), NEWER);
    assertEquals(List.of("rel-0000000003"), ids(kb, of("me")));
    Files.write(json(), before);
    assertEquals(List.of("rel-0000000001"), ids(kb, of("me")));
  }

  @Test
  void withoutAReportOneIsToldHowToMakeOne() {
    Failure failure = assertThrows(Failure.class, () -> ids(kb, of("me")));
    assertTrue(failure.getMessage().contains("no report yet"), failure::getMessage);
    assertTrue(failure.getMessage().contains("helix-bg one-shot"), failure::getMessage);
  }

  @Test
  void aReportIsReadAsAWholeOnceWhileItStays() throws IOException {
    AtomicInteger hashed = new AtomicInteger();
    SealedReports.Hashing counting =
        in -> {
          hashed.incrementAndGet();
          return Sha256.of(in);
        };
    ReportSeal seal = new ReportSeal(folder.resolve("me"));
    write(kb, of("me"), OURS);
    Instant written = FileState.of(json()).changed().toInstant();
    SealedReports atOnce = new SealedReports(seal, InstantSource.fixed(written), counting);
    ids(kb, atOnce);
    ids(kb, atOnce);
    assertEquals(2, hashed.get(), "it may change again within the same tick of the file's clock");
    InstantSource later = InstantSource.fixed(written.plus(Duration.ofHours(1)));
    SealedReports rested = new SealedReports(seal, later, counting);
    for (int i = 0; i < 10; i++) {
      assertEquals(List.of("rel-0000000001"), ids(kb, rested));
    }
    assertEquals(3, hashed.get());
    Files.setLastModifiedTime(json(), FileTime.fromMillis(1)); // or anything else
    ids(kb, rested);
    assertEquals(4, hashed.get());
  }
}
