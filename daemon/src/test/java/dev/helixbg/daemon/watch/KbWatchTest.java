package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.embed.cache.HxecFile;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the watch over one KB, with a clock that the test advances. */
class KbWatchTest {
  @TempDir Path folder;

  private WritableKb writer;
  private DaemonFixture daemon;

  @BeforeEach
  void start() throws IOException {
    writer = new WritableKb(folder.resolve("kb"), new Random(1), 10);
    daemon = new DaemonFixture(folder, writer.kb());
  }

  private boolean reported() {
    return Files.exists(ReportFolder.of(writer.kb()).json());
  }

  private int liveInReport() throws IOException {
    return daemon.report().at("/log/liveEntries").asInt();
  }

  private void settle() throws InterruptedException {
    daemon.run(Duration.ofMinutes(1));
  }

  /** Overwrites a file so that its time changes; the file system's clock may tick every 10 ms. */
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
    assertEquals(1, readings, "one run a change");
    assertEquals(1, daemon.analyses);
    assertEquals(1, daemon.files.published);
    long ticks = daemon.metrics.ticks.sum();
    daemon.run(Duration.ofHours(3));
    assertEquals(readings, daemon.files.readings, "nothing changed, so nothing is read");
    assertEquals(3 * 1_800, daemon.metrics.ticks.sum() - ticks, 2, "a look every two seconds");
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aChangeWhoseTimeSomebodySetsBackIsSeenAllTheSame() throws Exception {
    settle();
    var modified = Files.getLastModifiedTime(writer.log());
    byte[] bytes = Files.readAllBytes(writer.log());
    bytes[bytes.length - 1] ^= 1; // the size stays the same, and the time is set back
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
  void aMissingLogIsWaitedForAndLoggedOnceAndNothingIsWrittenMeanwhile() throws Exception {
    settle();
    Path away = folder.resolve("away");
    Files.move(writer.log(), away);
    Files.move(writer.kb().insights(), folder.resolve("old reports"));
    daemon.run(Duration.ofHours(3));
    assertEquals(1, daemon.metrics.troubles.sum());
    assertFalse(Files.exists(writer.kb().insights()));
    assertTrue(daemon.watch.trouble().orElseThrow().contains("cannot check data.log"));
    Files.move(away, writer.log());
    writer.append();
    daemon.run(Duration.ofMinutes(6));
    assertEquals(11, liveInReport());
    assertEquals(1, daemon.metrics.troubles.sum());
    assertTrue(daemon.troubles.on(writer.kb().folder().toString()).isEmpty());
  }

  @Test
  void aTouchedLogIsHashedAndNothingElseIsDone() throws Exception {
    settle();
    int readings = daemon.files.readings;
    long worked = daemon.analyses;
    writer.touch(1_000_000_000_000L);
    settle();
    assertEquals(readings, daemon.files.readings);
    assertEquals(worked, daemon.analyses, "the same bytes are not compared again");
    assertEquals(10, daemon.watch.update().entries());
    assertFalse(daemon.watch.upToDateWith().isEmpty());
  }

  @Test
  void aModelThatAppearsIsSeenWithinHalfAMinute() throws Exception {
    settle();
    int changes = daemon.watch.changes();
    Path models = Files.createDirectories(daemon.settings.embed().models());
    Files.writeString(models.resolve("some.gguf"), "any");
    daemon.run(KbWatch.CHECK_ALL_AFTER.plus(daemon.settings.daemon().quiet()).plusSeconds(1));
    assertEquals(changes + 1, daemon.watch.changes());
    assertFalse(daemon.watch.upToDateWith().isEmpty());
    long work = daemon.metrics.workNanos.sum();
    daemon.run(Duration.ofHours(1));
    assertEquals(work, daemon.metrics.workNanos.sum());
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
    daemon.run(Duration.ofSeconds(2));
    assertFalse(daemon.watch.isGone());
    settle();
    assertTrue(daemon.watch.trouble().isEmpty());
    assertFalse(daemon.watch.upToDateWith().isEmpty());
    assertEquals(worked, daemon.analyses, "it is what it was");
    daemon.assertAsFromNothing(folder.resolve("fresh"));
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
    assertFalse(Files.exists(writer.kb().folder().resolve(HxecFile.NAME)), "or vectors");
    settle();
    assertEquals(11, liveInReport(), "until it was read itself");
  }

  @Test
  void eachFaultIsLoggedOnceAndOvercome() throws Exception {
    for (int fault = 0; fault < daemon.faults().size(); fault++) {
      settle();
      long before = daemon.metrics.troubles.sum();
      daemon.faults().get(fault).run();
      writer.append();
      daemon.run(Duration.ofHours(2));
      assertEquals(before + 1, daemon.metrics.troubles.sum(), "fault " + fault);
      daemon.mend();
      daemon.run(Duration.ofMinutes(6));
      assertEquals(11 + fault, liveInReport(), "fault " + fault);
      daemon.assertAsFromNothing(folder.resolve("fresh" + fault));
    }
  }

  @Test
  void afterAFailureTheWaitsForTheNextAttemptGrow() throws Exception {
    daemon.model.broken = true;
    daemon.run(Duration.ofHours(2));
    int attempts = daemon.files.readings;
    assertTrue(attempts > 7 && attempts < 50, attempts + " attempts");
    writer.append();
    daemon.run(Duration.ofMillis(1_900));
    assertEquals(attempts, daemon.files.readings, "the log is not quiet yet");
    daemon.run(Duration.ofMillis(200));
    assertEquals(attempts + 1, daemon.files.readings, "a change is followed at once");
  }

  /** Otherwise each search and each list of findings reads the whole log. */
  @Test
  void theStoreKnowsTheLogFromWhichTheDaemonMadeItsReport() throws Exception {
    settle();
    KbStore store = daemon.store();
    assertTrue(store.outputs().isLog(daemon.watch.upToDateWith()));
    assertTrue(store.hasLayout(daemon.model.ids(), daemon.model.maxTokens()));
  }

  /** A run whose only purpose is its outcome, which idle work needs, leaves the report alone. */
  @Test
  void aRunThatChangesNothingDoesNotWriteTheReport() throws Exception {
    settle();
    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(1));
    assertTrue(next.watch.update().outcome().isEmpty());
    next.watch.update().runAgain();
    FileState before = FileState.of(ReportFolder.of(writer.kb()).json());
    next.run(Duration.ofMinutes(1));
    assertTrue(next.watch.update().outcome().isPresent());
    assertEquals(1, next.analyses);
    assertEquals(0, next.files.published);
    assertEquals(before, FileState.of(ReportFolder.of(writer.kb()).json()));
  }

  private Path vectorsFile() {
    return writer.kb().folder().resolve(HxecFile.NAME);
  }

  /**
   * A new entry causes one run, one report and one reading. The daemon's outputs must cause none.
   */
  @Test
  void aNewEntryCostsOneRun() throws Exception {
    writer.append(90);
    settle();
    int readings = daemon.files.readings;
    int reports = daemon.files.published;
    int analyses = daemon.analyses;
    writer.append();
    settle();
    assertEquals(101, liveInReport());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
    daemon.run(Duration.ofMinutes(30));
    assertEquals(1, daemon.files.readings - readings);
    assertEquals(1, daemon.files.published - reports);
    assertEquals(1, daemon.analyses - analyses);

    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(5));
    assertEquals(0, next.files.readings, "the store knows what was published");
    assertEquals(100 + 1, next.watch.update().entries());
    assertEquals(0, next.analyses);
    assertEquals(0, next.files.published);
  }

  @Test
  void whatADiskHadNoRoomForIsDoneByTheNextDaemon() throws Exception {
    daemon.files.fullDisk = true;
    settle();
    assertTrue(daemon.store().report().origin().isEmpty());
    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(1));
    assertEquals(1, next.metrics.reports.sum());
    next.assertAsFromNothing(folder.resolve("fresh"));
  }

  /** The daemon does not look for changes of its own outputs. */
  @Test
  void outputsThatSomebodyChangesComeBackWithTheNextChangeAndWhenADaemonStarts() throws Exception {
    settle();
    int readings = daemon.files.readings;
    damageOutputs();
    daemon.run(Duration.ofMinutes(30));
    assertEquals(readings, daemon.files.readings);
    assertEquals("{}", Files.readString(ReportFolder.of(writer.kb()).json()));
    writer.append();
    daemon.run(Duration.ofMinutes(3));
    daemon.assertAsFromNothing(folder.resolve("fresh"));

    damageOutputs();
    DaemonFixture next = new DaemonFixture(folder, writer.kb());
    next.run(Duration.ofMinutes(3));
    assertEquals(0, next.model.opened.get(), "the vectors come out of the store");
    next.assertAsFromNothing(folder.resolve("fresh again"));
  }

  private void damageOutputs() throws IOException {
    byte[] bytes = Files.readAllBytes(vectorsFile());
    bytes[bytes.length / 2] ^= 4;
    Files.write(vectorsFile(), bytes);
    Files.delete(ReportFolder.of(writer.kb()).html());
    Files.writeString(ReportFolder.of(writer.kb()).json(), "{}");
  }

  /** The next run makes a deleted store anew; the decisions come from their copy. */
  @Test
  void aDatabaseThatIsDeletedIsMadeAnewWithTheDecisions() throws Exception {
    settle();
    decide(daemon.store(), "dup-0123456789");
    settle();
    Files.delete(daemon.store().database().file());
    writer.append();
    daemon.run(Duration.ofMinutes(3));
    assertEquals(11, liveInReport());
    assertEquals(1, daemon.store().decisions().read().settled().size());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void aKbThatMovedKeepsItsStore() throws Exception {
    settle();
    daemon.stores.close();
    Path moved = folder.resolve("elsewhere");
    Files.move(writer.kb().folder(), moved);
    DaemonFixture next = new DaemonFixture(folder, new Kb(moved));
    next.run(Duration.ofMinutes(1));
    assertEquals(0, next.analyses);
    assertEquals(0, next.model.opened.get());
    assertEquals(1, next.notices.size(), next.notices.toString());
    assertTrue(next.notices.getFirst().contains(" was formerly at "), next.notices.toString());
  }

  private static void decide(KbStore store, String id) {
    store.decisions().add(List.of(new Decision(id, Decision.Outcome.DISMISSED, Instant.EPOCH, "")));
  }

  /** A command makes the decision, over its own connection to the database. */
  @Test
  void aDecisionOfAnotherProcessTakesAFindingOutOfTheReport() throws Exception {
    writer.append("twins", "the same words");
    writer.append("twins", "the same words");
    settle();
    String id = daemon.report().at("/copies/0/id").asText();
    int analyses = daemon.analyses;
    decide(DaemonFixture.store(folder, writer.kb()), id);
    settle();
    assertFalse(Files.readString(ReportFolder.of(writer.kb()).json()).contains(id));
    daemon.run(Duration.ofHours(1));
    assertEquals(1, daemon.analyses - analyses);
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
    daemon.loop.lookNow();
    daemon.run(Duration.ofMillis(2_001)); // the time for which the log must stay unchanged
    assertEquals(11, liveInReport());
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }

  @Test
  void hintsMakeNothingHappenBeforeTheLogIsQuiet() throws Exception {
    settle();
    int readings = daemon.files.readings;
    for (int i = 0; i < 100; i++) {
      writer.append();
      daemon.loop.lookNow();
      daemon.run(Duration.ofMillis(100));
    }
    assertEquals(readings, daemon.files.readings);
    daemon.run(Duration.ofMillis(2_001));
    assertEquals(110, liveInReport());
    for (int i = 0; i < 100; i++) {
      daemon.loop.lookNow(); // a request to check, although nothing changed
      daemon.run(Duration.ofMillis(100));
    }
    assertEquals(readings + 1, daemon.files.readings);
  }

  /**
   * Whether the nanosecond clock counts the time of a suspended machine differs between systems.
   */
  @Test
  void afterASuspendOrAJumpOfTheDateTheNextLookFindsWhatChanged() throws Exception {
    settle();
    daemon.clock.pass(Duration.ofHours(9)); // both clocks advanced, but nothing ran
    writer.append();
    daemon.run(Duration.ofMillis(2_001)); // the check was due long ago
    assertEquals(11, liveInReport());
    settle();
    for (Duration jump :
        List.of(Duration.ofHours(9), Duration.ofDays(-400), Duration.ofDays(4000))) {
      daemon.clock.jump(jump);
      writer.append();
      daemon.run(Duration.ofMillis(4_001));
      assertEquals(writer.live(), liveInReport(), jump.toString());
    }
    daemon.assertAsFromNothing(folder.resolve("fresh"));
  }
}
