package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.insight.review.History;
import dev.helixbg.insight.review.Review;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When reviews run by themselves, with a golden model and a clock that the test turns. */
@Timeout(120)
class IdleWorkTest {
  @TempDir Path folder;

  private WritableKb writer;
  private DaemonFixture daemon;
  private TextModelHost model;
  private IdleWork idle;
  private boolean battery;
  private double load;

  @BeforeEach
  void start() throws Exception {
    Path file = folder.resolve("golden.gguf");
    try (var in = GoldenModel.class.getResourceAsStream("/golden/golden-q4km.gguf")) {
      Files.write(file, in.readAllBytes());
    }
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    for (int i = 0; i < 6; i++) {
      writer.append();
    }
    Map<String, String> flags = Map.of("llm.model", file.toString());
    daemon = new DaemonFixture(folder, writer.kb(), flags);
    Settings settings = daemon.settings;
    model = new TextModelHost(settings, daemon.clock, daemon.metrics);
    IdleWork.Machine machine =
        new IdleWork.Machine() {
          @Override
          public boolean onBattery() {
            return battery;
          }

          @Override
          public double load() {
            return load;
          }
        };
    idle =
        new IdleWork(
            settings,
            model,
            new Reviews(settings, "fake"),
            new IdleQuestions(settings, model, daemon.files, daemon.clock, daemon.metrics),
            daemon.clock,
            daemon.troubles,
            machine);
  }

  @AfterEach
  void stop() {
    idle.close();
    model.close();
  }

  private boolean consider() {
    return idle.consider(List.of(daemon.watch), false);
  }

  private void finish() throws InterruptedException {
    while (consider()) {
      Thread.sleep(10);
    }
  }

  private List<Review> history() throws IOException {
    return new History(writer.kb().insights()).read();
  }

  private long count(Review.Kind kind) throws IOException {
    return history().stream().filter(review -> review.kind() == kind).count();
  }

  @Test
  void nothingRunsBeforeTheKbIsUpToDateAndRests() throws Exception {
    assertFalse(consider(), "not read yet");
    daemon.run(Duration.ofSeconds(30));
    assertFalse(consider(), "it rests for half a minute only");
    daemon.run(Duration.ofMinutes(2));
    assertTrue(consider());
    finish();
    assertEquals(1, count(Review.Kind.DRIFT));
    assertEquals(1, count(Review.Kind.STALE));
    assertEquals(0, count(Review.Kind.SESSION), "the session may go on");
    assertTrue(history().getFirst().judge().isPresent(), "the model was there");
    daemon.run(Duration.ofMinutes(20));
    finish();
    assertEquals(1, count(Review.Kind.SESSION));
    assertTrue(daemon.metrics.modelTokens.sum() > 0);
  }

  @Test
  void onBatteryOrOnABusyMachineTheModelWaits() throws Exception {
    daemon.run(Duration.ofMinutes(5));
    battery = true;
    assertFalse(consider());
    battery = false;
    load = 0.6;
    daemon.clock.pass(Duration.ofSeconds(11));
    assertFalse(consider());
    load = 0.4;
    daemon.clock.pass(Duration.ofSeconds(11));
    assertTrue(consider());
  }

  @Test
  void reviewsComeAgainWhenTheirTimeIsOverAndSomethingChanged() throws Exception {
    daemon.run(Duration.ofMinutes(30));
    finish();
    assertEquals(3, history().size());
    daemon.run(Duration.ofHours(20));
    finish();
    assertEquals(3, history().size(), "nothing changed");
    writer.append();
    daemon.run(Duration.ofMinutes(30));
    finish();
    assertEquals(2, count(Review.Kind.DRIFT));
    assertEquals(2, count(Review.Kind.STALE));
    assertEquals(1, count(Review.Kind.SESSION), "one entry is not worth a synthesis");
    writer.append();
    writer.append();
    daemon.run(Duration.ofMinutes(40));
    finish();
    assertEquals(2, count(Review.Kind.DRIFT), "not an hour later yet");
    assertEquals(2, count(Review.Kind.SESSION));
  }

  @Test
  void aChangeOrAPauseInterruptsARunWithinASecond() throws Exception {
    daemon.run(Duration.ofMinutes(5));
    assertTrue(consider());
    writer.append();
    daemon.run(Duration.ofMillis(2100));
    long start = System.nanoTime();
    while (idle.consider(List.of(daemon.watch), true)) {
      Thread.sleep(5);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    // A second is the promise; a cold JVM on a busy machine has kernels still to compile.
    assertTrue(took.toMillis() < 3_000 || Power.load() > 1, "it took " + took);
    daemon.run(Duration.ofMinutes(5));
    finish();
    assertTrue(count(Review.Kind.DRIFT) >= 1, "and goes on when there is rest");
  }

  @Test
  void theModelIsReleasedWhenIdleAndWaitsForItsUser() throws Exception {
    daemon.run(Duration.ofMinutes(5));
    finish();
    assertTrue(model.isLoaded());
    assertFalse(model.releaseAfter(Optional.of(Duration.ofMinutes(5))));
    daemon.clock.pass(Duration.ofMinutes(5));
    assertFalse(model.releaseAfter(Optional.empty()));
    assertTrue(model.releaseAfter(Optional.of(Duration.ofMinutes(5))));
    assertFalse(model.isLoaded());
  }
}
