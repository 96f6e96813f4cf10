package dev.helixbg.daemon.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.embed.cache.VectorStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The daemon's first look, and the passages that it reads afterwards at low priority. */
@Timeout(300)
class IdlePassagesTest {
  private static final int ENTRIES = 30;

  @TempDir Path folder;

  private WritableKb writer;
  private DaemonFixture daemon;
  @AutoClose private IdleFixture idle;

  private volatile String embedder = "";

  @BeforeEach
  void start() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    for (int i = 0; i < ENTRIES; i++) {
      writer.append("topic-" + i % 3, WritableKb.longText("note " + i));
    }
    begin();
  }

  private void begin() {
    daemon = new DaemonFixture(folder, writer.kb());
    daemon.model.whileEmbedding = () -> embedder = Thread.currentThread().getName();
    idle = new IdleFixture(daemon);
  }

  private boolean isFirstLook() throws IOException {
    return daemon.report().hasNonNull("firstLook");
  }

  private boolean isCalledDone() {
    return daemon.store().report().origin().orElseThrow().firstLook().isEmpty();
  }

  @Test
  void entriesComeFirstAndPassagesFollowByThemselves() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    assertFalse(daemon.watch.upToDateWith().isEmpty());
    assertTrue(isFirstLook());
    assertFalse(isCalledDone());
    int left = daemon.watch.update().passagesLeft();
    assertTrue(left >= 512, left + " passages");
    assertEquals(ENTRIES, daemon.metrics.embedded.sum());
    assertEquals(ENTRIES, VectorStore.ofEntries(daemon.store().database()).read().byKey().size());

    assertTrue(idle.consider(), "though the machine is on battery and busy");
    idle.await();
    assertEquals("model", embedder);
    assertEquals(ENTRIES + left, daemon.metrics.embedded.sum());
    assertEquals(Optional.empty(), daemon.watch.trouble());
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertEquals(0, daemon.watch.update().passagesLeft());
    assertFalse(isFirstLook());
    assertTrue(isCalledDone());
    assertFalse(idle.consider(), "nothing is left");
    assertAsFromNothing();
  }

  private void assertAsFromNothing() throws Exception {
    DaemonFixture.assertAsFromNothing(
        daemon.store(), folder.resolve("nothing"), new FakeModel(), 0);
  }

  @Test
  void aChangeComesFirstAndNothingIsLost() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    int left = daemon.watch.update().passagesLeft();
    daemon.model.hold.at = 100;
    assertTrue(idle.consider());
    daemon.model.hold.reached.await();
    daemon.look();
    assertFalse(daemon.watch.upToDateWith().isEmpty(), "its own vectors are no change");

    daemon.clock.pass(Duration.ofSeconds(1)); // a change in the moment of the start is none since
    writer.append("topic-1", "a short one");
    daemon.look();
    assertTrue(daemon.watch.upToDateWith().isEmpty());
    daemon.run(Duration.ofSeconds(10));
    assertEquals(Optional.empty(), daemon.watch.trouble(), "a locked KB is no trouble");
    daemon.model.hold.at = -1;
    idle.consider();
    idle.await();
    assertEquals(100, VectorStore.ofPassages(daemon.store().database()).read().byKey().size());
    daemon.run(Duration.ofSeconds(10));
    assertTrue(idle.consider());
    idle.await();
    assertEquals(left, VectorStore.ofPassages(daemon.store().database()).read().byKey().size());
    assertEquals(ENTRIES + 1 + left, daemon.metrics.embedded.sum(), "none of them twice");
    daemon.look();
    daemon.run(Duration.ofMinutes(2)); // all vectors are published by then
    assertFalse(isFirstLook());
    assertAsFromNothing();
  }

  @Test
  void aDaemonThatWasEndedGoesOn() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    idle.close();
    begin();
    daemon.run(Duration.ofSeconds(10));
    assertEquals(0, daemon.metrics.embedded.sum());
    assertTrue(daemon.watch.update().passagesLeft() > 0);
    assertTrue(idle.consider());
    idle.await();
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertFalse(isFirstLook());
  }

  @Test
  void aFirstLookThatAnotherProcessHasCompletedIsOver() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    assertTrue(daemon.watch.update().passagesLeft() > 0);
    new OneShotRun(
            DaemonFixture.pipeline(daemon.settings, new FakeModel(), DaemonFixture.NO_READING))
        .run(daemon.store(), (last, now) -> false, Optional.empty());
    assertTrue(isCalledDone());
    Files.setLastModifiedTime(writer.log(), FileTime.from(Instant.now().minusSeconds(100)));
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertEquals(0, daemon.watch.update().passagesLeft());
    assertTrue(daemon.watch.update().outcome().isEmpty());
    assertFalse(idle.consider(), "nothing is left");
  }
}
