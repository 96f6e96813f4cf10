package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.DecisionFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One KB under watch, with a clock that the test turns. */
class KbWatchTest {
  @TempDir Path folder;

  private WritableKb writer;
  private DaemonFixture daemon;

  @BeforeEach
  void start() throws IOException {
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    for (int i = 0; i < 10; i++) {
      writer.append();
    }
    daemon = new DaemonFixture(folder, writer.kb());
  }

  private boolean reported() {
    return Files.exists(ReportFolder.of(writer.kb()).json());
  }

  private int liveInReport() throws IOException {
    return new com.fasterxml.jackson.databind.ObjectMapper()
        .readTree(ReportFolder.of(writer.kb()).json().toFile())
        .at("/log/liveEntries")
        .asInt();
  }

  private ReportSeal seal() {
    return new ReportSeal(DaemonFixture.settings(folder, Map.of()).cache());
  }

  private void settle() throws InterruptedException {
    daemon.run(Duration.ofMinutes(1));
  }

  /** At another time by the clock of the file system, of which a tick may be 10 ms. */
  private static void overwrite(Path file, byte[] bytes) throws IOException {
    FileState before = FileState.of(file);
    do {
      Files.write(file, bytes);
    } while (FileState.of(file).changed().equals(before.changed()));
  }

  @Test
  void aLogIsReadOnceItWasQuietAndThenLeftAlone() throws Exception {
    daemon.run(Duration.ofMillis(1900));
    assertFalse(reported(), "it was read before it was quiet");
    daemon.run(Duration.ofMillis(200));
    assertTrue(reported());
    settle();
    int readings = daemon.files.readings;
    assertEquals(2, readings, "read, and confirmed once");
    long ticks = daemon.metrics.ticks.sum();
    daemon.run(Duration.ofDays(3));
    assertEquals(readings, daemon.files.readings, "nothing changed, so nothing is read");
    assertEquals(3 * 2_880, daemon.metrics.ticks.sum() - ticks, 2, "two looks a minute");
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aChangeWhoseTimeSomebodySetsBackIsSeenAllTheSame() throws Exception {
    settle();
    var modified = Files.getLastModifiedTime(writer.log());
    byte[] bytes = Files.readAllBytes(writer.log());
    bytes[bytes.length - 1] ^= 1; // the same size, and somebody sets the time back
    overwrite(writer.log(), bytes);
    Files.setLastModifiedTime(writer.log(), modified);
    settle();
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void anEditIsNeverSeenHalfDone() throws Exception {
    settle();
    int edited = writer.appendEdited();
    daemon.run(Duration.ofMillis(1500));
    writer.deleteEdited(edited);
    daemon.run(Duration.ofMillis(1900));
    assertEquals(10, liveInReport());
    settle();
    assertEquals(10, liveInReport());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aLogThatChangesWhileItIsReadIsReadAgain() throws Exception {
    daemon.files.duringRead =
        () -> {
          daemon.files.duringRead = () -> {};
          try {
            writer.append();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        };
    settle();
    assertEquals(11, liveInReport());
  }

  @Test
  void aLogThatNeverRestsIsReadAllTheSame() throws Exception {
    for (int i = 0; i < 70; i++) {
      writer.append();
      daemon.run(Duration.ofSeconds(1));
    }
    assertTrue(reported(), "it waited for quiet for ever");
  }

  @Test
  void aTornTailIsReportedAndGoesAway() throws Exception {
    settle();
    byte[] rest = writer.appendTorn();
    settle();
    assertEquals(10, liveInReport());
    writer.restOf(rest);
    settle();
    assertEquals(11, liveInReport());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aMissingLogIsWaitedForAndLoggedOnce() throws Exception {
    settle();
    Path away = folder.resolve("away");
    Files.move(writer.log(), away);
    daemon.run(Duration.ofMinutes(30));
    assertEquals(1, daemon.metrics.troubles.sum());
    Files.move(away, writer.log());
    writer.append();
    settle();
    assertEquals(11, liveInReport());
    assertEquals(1, daemon.metrics.troubles.sum());
    assertTrue(daemon.troubles.on(writer.kb().folder().toString()).isEmpty());
  }

  @Test
  void aTouchedLogIsReadAndNothingElseIsDone() throws Exception {
    settle();
    int readings = daemon.files.readings;
    long worked = daemon.analyses;
    writer.touch(1_000_000_000_000L);
    settle();
    assertEquals(readings + 1, daemon.files.readings);
    assertEquals(worked, daemon.analyses, "the same bytes are not compared again");
    assertFalse(daemon.watch.upToDateWith().isEmpty());
  }

  @Test
  void aModelThatAppearsIsSeenAtTheNextLook() throws Exception {
    settle();
    int readings = daemon.files.readings;
    Path models = Files.createDirectories(daemon.settings.embed().models());
    Files.writeString(models.resolve("some.gguf"), "any");
    settle();
    assertTrue(daemon.files.readings > readings);
    readings = daemon.files.readings;
    daemon.run(Duration.ofDays(1));
    assertEquals(readings, daemon.files.readings);
  }

  @Test
  void aKbThatWasMovedOrDeletedIsNotMadeAnew() throws Exception {
    settle();
    Path away = folder.resolve("away");
    Files.move(writer.kb().folder(), away);
    daemon.run(Duration.ofHours(3));
    assertFalse(Files.exists(writer.kb().folder()), "it was made anew");
    assertTrue(daemon.watch.isGone());
    assertTrue(daemon.watch.upToDateWith().isEmpty(), "nothing is up to date");
    assertTrue(daemon.watch.trouble().orElseThrow().contains("moved"));
    long worked = daemon.analyses;
    Files.move(away, writer.kb().folder());
    settle();
    assertFalse(daemon.watch.isGone());
    assertTrue(daemon.watch.trouble().isEmpty());
    assertFalse(daemon.watch.upToDateWith().isEmpty());
    assertEquals(worked, daemon.analyses, "it is what it was");
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void whereThereIsNoLogThereIsNothingToWrite() throws Exception {
    settle();
    Files.delete(writer.log());
    Files.walk(writer.kb().insights())
        .sorted(Comparator.reverseOrder())
        .forEach(file -> assertTrue(file.toFile().delete()));
    daemon.run(Duration.ofHours(3));
    assertFalse(Files.exists(writer.kb().insights()));
    assertTrue(daemon.watch.trouble().orElseThrow().contains("no data.log"));
    Failure none = assertThrows(Failure.class, () -> KbLock.take(writer.kb()));
    assertEquals(ExitCode.KB, none.code());
    assertFalse(Files.exists(writer.kb().insights()));
  }

  @Test
  void whatIsPutInThePlaceOfAKbWhileItIsEmbeddedGetsNoneOfItsReports() throws Exception {
    settle();
    writer.append();
    daemon.look();
    Path away = folder.resolve("away");
    daemon.model.whileEmbedding =
        () -> {
          daemon.model.whileEmbedding = () -> {};
          try {
            Files.move(writer.kb().folder(), away);
            Files.createDirectories(writer.kb().folder());
            Files.copy(away.resolve("data.log"), writer.log());
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        };
    daemon.run(Duration.ofMillis(2_100));
    assertTrue(Files.exists(away), "nothing was embedded");
    assertFalse(Files.exists(writer.kb().insights()), "another KB got the report");
    assertFalse(Files.exists(writer.kb().folder().resolve(EmbeddingCache.VECTORS)), "or vectors");
    settle();
    assertEquals(11, liveInReport(), "until it was read itself");
  }

  @Test
  void eachFaultIsLoggedOnceAndOvercome() throws Exception {
    List<Runnable> on =
        List.of(
            () -> daemon.files.noStat = true,
            () -> daemon.files.noRead = true,
            () -> daemon.files.fullDisk = true,
            () -> daemon.files.locked = true,
            () -> daemon.model.broken = true);
    for (int fault = 0; fault < on.size(); fault++) {
      settle();
      long before = daemon.metrics.troubles.sum();
      on.get(fault).run();
      writer.append();
      daemon.run(Duration.ofHours(2));
      assertEquals(before + 1, daemon.metrics.troubles.sum(), "fault " + fault);
      daemon.files.noStat = false;
      daemon.files.noRead = false;
      daemon.files.fullDisk = false;
      daemon.files.locked = false;
      daemon.model.broken = false;
      daemon.run(Duration.ofMinutes(6));
      assertEquals(11 + fault, liveInReport(), "fault " + fault);
      daemon.assertAsFromNothing(folder.resolve("fresh" + fault));
    }
  }

  @Test
  void whatSomebodyBreaksIsMended() throws Exception {
    settle();
    Path vectors = writer.kb().folder().resolve(EmbeddingCache.VECTORS);
    byte[] bytes = Files.readAllBytes(vectors);
    bytes[bytes.length / 2] ^= 4;
    overwrite(vectors, bytes);
    settle();
    daemon.assertAsFromNothing(folder.resolve("fresh1"));
    Files.delete(ReportFolder.of(writer.kb()).html());
    Files.writeString(ReportFolder.of(writer.kb()).json(), "{}");
    settle();
    daemon.assertAsFromNothing(folder.resolve("fresh2"));
    Files.delete(writer.kb().folder().resolve(EmbeddingCache.KEYS));
    settle();
    daemon.assertAsFromNothing(folder.resolve("fresh3"));
  }

  private Path file(String name) {
    return writer.kb().folder().resolve(name);
  }

  private void appendUntil(int live) throws IOException {
    while (writer.live() < live) {
      writer.append();
    }
  }

  @Test
  void aNewEntryIsInTheReportAtOnceAndInTheCacheAfterAMinute() throws Exception {
    appendUntil(100);
    daemon.run(Duration.ofMinutes(10));
    assertFalse(Files.exists(file(EmbeddingCache.JOURNAL)));
    byte[] published = Files.readAllBytes(file(EmbeddingCache.VECTORS));
    int readings = daemon.files.readings;
    long reports = daemon.metrics.reports.sum();
    writer.append();
    daemon.look();
    daemon.run(Duration.ofSeconds(5));
    assertEquals(101, liveInReport());
    assertArrayEquals(published, Files.readAllBytes(file(EmbeddingCache.VECTORS)));
    assertEquals(8 + 1_556, Files.size(file(EmbeddingCache.JOURNAL)));
    assertFalse(daemon.watch.upToDateWith().isEmpty());

    daemon.run(KbWatch.PUBLISH_AFTER);
    assertFalse(Files.exists(file(EmbeddingCache.JOURNAL)));
    assertFalse(daemon.watch.upToDateWith().isEmpty(), "the report was up to date all the time");
    daemon.assertAsFromNothing(folder.resolve("fresh"));
    assertEquals(3, daemon.files.readings - readings, "read, confirmed, and read to publish");
    assertEquals(1, daemon.metrics.reports.sum() - reports);
    daemon.run(Duration.ofMinutes(30));
    assertEquals(3, daemon.files.readings - readings, "done is done");

    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(5));
    assertEquals(1, next.files.readings, "the cursor knows what was published");
  }

  @Test
  void theLargerTheCacheTheLongerItWaits() throws Exception {
    appendUntil(7_000);
    daemon.run(Duration.ofMinutes(10));
    writer.append();
    daemon.look();
    daemon.run(Duration.ofSeconds(69));
    assertTrue(Files.exists(file(EmbeddingCache.JOURNAL)));
    daemon.run(Duration.ofSeconds(9));
    assertFalse(Files.exists(file(EmbeddingCache.JOURNAL)));
  }

  @Test
  void whatNeverRestsIsPublishedAllTheSame() throws Exception {
    appendUntil(100);
    daemon.run(Duration.ofMinutes(3));
    int publications = 0;
    for (int i = 0; i < 80; i++) {
      boolean waits = Files.exists(file(EmbeddingCache.JOURNAL));
      writer.append();
      daemon.look();
      daemon.run(Duration.ofSeconds(3));
      publications += waits && !Files.exists(file(EmbeddingCache.JOURNAL)) ? 1 : 0;
    }
    assertTrue(publications >= 2 && publications <= 4, publications + " times in four minutes");
  }

  @Test
  void whatAnEarlierProcessLeftInTheJournalIsPublished() throws Exception {
    appendUntil(100);
    daemon.run(Duration.ofMinutes(3));
    writer.append();
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertTrue(Files.exists(file(EmbeddingCache.JOURNAL)));

    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(2));
    assertFalse(Files.exists(file(EmbeddingCache.JOURNAL)));
    assertEquals(0, next.metrics.reports.sum(), "nothing else was done");
    assertEquals(0, next.model.opened.get());
    next.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aJournalThatSomebodyBreaksOrDeletesIsMended() throws Exception {
    appendUntil(100);
    daemon.run(Duration.ofMinutes(3));
    for (int how = 0; how < 3; how++) {
      writer.append();
      daemon.look();
      daemon.run(Duration.ofSeconds(10));
      byte[] bytes = Files.readAllBytes(file(EmbeddingCache.JOURNAL));
      switch (how) {
        case 0 -> Files.delete(file(EmbeddingCache.JOURNAL));
        case 1 -> Files.write(file(EmbeddingCache.JOURNAL), Arrays.copyOf(bytes, 1_000));
        default -> {
          bytes[700] ^= 1;
          Files.write(file(EmbeddingCache.JOURNAL), bytes);
        }
      }
      daemon.run(KbWatch.PUBLISH_AFTER.multipliedBy(2));
      assertFalse(Files.exists(file(EmbeddingCache.JOURNAL)));
      daemon.assertAsFromNothing(folder.resolve("fresh" + how));
    }
  }

  /** The log is busy while the vectors are published: then it is as if they were not. */
  @Test
  void whatCannotBePublishedIsTriedAgain() throws Exception {
    appendUntil(100);
    daemon.run(Duration.ofMinutes(3));
    writer.append();
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    daemon.files.locked = true;
    daemon.run(Duration.ofMinutes(3));
    assertTrue(Files.exists(file(EmbeddingCache.JOURNAL)));
    assertEquals(1, daemon.metrics.troubles.sum(), "said once");
    daemon.files.locked = false;
    daemon.run(Duration.ofMinutes(6));
    assertFalse(Files.exists(file(EmbeddingCache.JOURNAL)));
    assertTrue(daemon.watch.trouble().isEmpty());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void theCursorMovesOnlyAfterSuccessAndSparesTheNextDaemonTheWork() throws Exception {
    daemon.files.fullDisk = true;
    settle();
    assertTrue(KbCursor.read(writer.kb(), seal()).isEmpty());
    daemon.files.fullDisk = false;
    daemon.run(Duration.ofMinutes(6));
    assertTrue(KbCursor.read(writer.kb(), seal()).isPresent());

    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(1));
    assertEquals(1, next.files.readings);
    assertEquals(0, next.metrics.reports.sum());

    Files.writeString(writer.kb().insights().resolve(KbCursor.NAME), "{\"schema\":1,");
    Files.delete(ReportFolder.of(writer.kb()).html());
    DaemonFixture third = new DaemonFixture(folder, writer.kb());
    third.run(Duration.ofMinutes(1));
    third.assertAsFromNothing(folder.resolve("fresh"));
  }

  /** In a process that was there, the state of a file tells; one that comes later reads it. */
  @Test
  void whatWasReplacedWhileNobodyWatchedIsMadeAnewWhateverItsSizeAndTime() throws Exception {
    settle();
    ReportFolder report = ReportFolder.of(writer.kb());
    Path vectors = file(EmbeddingCache.VECTORS);
    for (Path file : List.of(report.html(), report.markdown(), report.json(), vectors)) {
      FileTime time = Files.getLastModifiedTime(file);
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 4;
      Files.write(file, bytes);
      Files.setLastModifiedTime(file, time);
      DaemonFixture next = new DaemonFixture(folder, writer.kb());
      next.run(Duration.ofMinutes(1));
      next.assertAsFromNothing(folder.resolve("fresh-" + file.getFileName()));
    }
  }

  @Test
  void aCursorOfAnotherFolderCountsForNothing() throws Exception {
    settle();
    Path moved = folder.resolve("elsewhere");
    Files.move(writer.kb().folder(), moved);
    DaemonFixture next = new DaemonFixture(folder, new Kb(moved));
    next.run(Duration.ofMinutes(1));
    assertEquals(2, next.analyses, "made anew, and confirmed");
    assertEquals(0, next.model.opened.get(), "of the vectors that are there");
  }

  @Test
  void filesAreReadAsAWholeOnceAtTheStart() throws Exception {
    settle();
    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(1));
    assertEquals(0, next.analyses);
    assertEquals(6, next.files.hashings, "four caches, two journals");
    next.run(Duration.ofDays(3));
    assertEquals(6, next.files.hashings);
    assertEquals(1, next.files.readings);
  }

  @Test
  void aDecisionTakesAFindingOutOfTheReport() throws Exception {
    writer.append("twins", "the same words");
    writer.append("twins", "the same words");
    settle();
    String report = Files.readString(ReportFolder.of(writer.kb()).json());
    String id = report.replaceAll("(?s).*?\"(copies-[0-9a-f]{10})\".*", "$1");
    new DecisionFile(writer.kb().insights())
        .append(List.of(new Decision(id, Decision.Verdict.DONE, Instant.EPOCH, "")));
    settle();
    assertFalse(Files.readString(ReportFolder.of(writer.kb()).json()).contains(id));
    writer.compact();
    settle();
    assertFalse(Files.readString(ReportFolder.of(writer.kb()).json()).contains(id));
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aHintIsFollowedAtOnceHoweverLongTheLogRested() throws Exception {
    settle();
    daemon.run(Duration.ofHours(5).plusSeconds(7));
    writer.append();
    daemon.loop.hint(writer.kb());
    daemon.run(Duration.ofMillis(2_001)); // the quiet time
    assertEquals(11, liveInReport());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aHintThatDoesNotComeCostsOneLookAtMost() throws Exception {
    settle();
    writer.append();
    daemon.run(Duration.ofMillis(32_001));
    assertEquals(11, liveInReport());
  }

  @Test
  void whereNothingIsToldItIsLookedForEveryTwoSeconds() throws Exception {
    daemon.told = false;
    settle();
    long ticks = daemon.metrics.ticks.sum();
    daemon.run(Duration.ofMinutes(50));
    assertEquals(1_500, daemon.metrics.ticks.sum() - ticks, 2);
    writer.append();
    daemon.run(Duration.ofMillis(4_001));
    assertEquals(11, liveInReport());
  }

  @Test
  void hintsMakeNothingHappenBeforeTheLogIsQuiet() throws Exception {
    settle();
    int readings = daemon.files.readings;
    for (int i = 0; i < 100; i++) {
      writer.append();
      daemon.loop.hint(writer.kb());
      daemon.run(Duration.ofMillis(100));
    }
    assertEquals(readings, daemon.files.readings);
    daemon.run(Duration.ofMillis(2_001));
    assertEquals(110, liveInReport());
    for (int i = 0; i < 100; i++) {
      daemon.loop.hint(writer.kb()); // of nothing
      daemon.run(Duration.ofMillis(100));
    }
    assertEquals(readings + 2, daemon.files.readings, "read, and confirmed once");
  }

  @Test
  void aHintWhilePausedIsFollowedWhenItGoesOn() throws Exception {
    settle();
    daemon.loop.pause();
    writer.append();
    daemon.loop.hint(writer.kb());
    daemon.run(Duration.ofMinutes(5));
    assertEquals(10, liveInReport());
    daemon.loop.resume();
    daemon.run(Duration.ofMillis(2_001));
    assertEquals(11, liveInReport());
  }

  /** What the nanoseconds count of a suspended time differs between systems. */
  @Test
  void afterASuspendTheNextLookFindsWhatChanged() throws Exception {
    settle();
    daemon.clock.pass(Duration.ofHours(9)); // both clocks went on, and nothing ran
    writer.append();
    daemon.run(Duration.ofMillis(2_001)); // the look was due long ago
    assertEquals(11, liveInReport());
    settle();
    daemon.clock.jump(Duration.ofHours(9)); // only the date went on
    writer.append();
    daemon.run(Duration.ofMillis(32_001));
    assertEquals(12, liveInReport());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aJumpOfTheDateChangesNothing() throws Exception {
    settle();
    daemon.clock.jump(Duration.ofDays(-400));
    writer.append();
    settle();
    assertEquals(11, liveInReport());
    daemon.clock.jump(Duration.ofDays(4000));
    writer.append();
    settle();
    assertEquals(12, liveInReport());
  }
}
