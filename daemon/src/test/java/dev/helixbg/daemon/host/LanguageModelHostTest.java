package dev.helixbg.daemon.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a model stays loaded without work, as {@code daemon.model_idle_minutes} says. */
@Timeout(600)
class LanguageModelHostTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "0, 0, true", // at once
    "-1, 1000000, false", // never
    "2, 119, false",
    "2, 120, true",
  })
  void aModelIsReleasedAfterItsIdleMinutes(int minutes, long idleSeconds, boolean released)
      throws Exception {
    Map<String, String> flags = new HashMap<>();
    flags.put("llm.model", GoldenModel.Q4_0.path().toString());
    flags.put("daemon.model_idle_minutes", Integer.toString(minutes));
    Kb kb = new WritableKb(folder.resolve("kb"), new Random(1)).kb();
    DaemonFixture daemon = new DaemonFixture(folder, kb, flags);
    try (LanguageModelHost host =
        new LanguageModelHost(daemon.settings, daemon.clock, daemon.metrics)) {
      assertEquals(true, host.use(Optional::isPresent));
      daemon.clock.pass(Duration.ofSeconds(idleSeconds));
      assertEquals(released, host.releaseAfter(daemon.settings.daemon().modelIdle()));
      assertEquals(!released, host.isLoaded());
    }
  }

  private LanguageModelHost host(Map<String, String> flags) throws IOException {
    Kb kb = new WritableKb(folder.resolve("kb"), new Random(1)).kb();
    DaemonFixture daemon = new DaemonFixture(folder, kb, flags);
    return new LanguageModelHost(daemon.settings, daemon.clock, daemon.metrics);
  }

  /** A use that has begun, and goes on until its gate is opened. */
  private static final class Use {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch gate = new CountDownLatch(1);
    final FutureTask<Boolean> task;

    Use(LanguageModelHost host) {
      task =
          new FutureTask<>(
              () ->
                  host.use(
                      model -> {
                        begun.countDown();
                        gate.await();
                        return model.isPresent();
                      }));
      Thread.ofVirtual().start(task);
    }

    boolean end() throws Exception {
      gate.countDown();
      return task.get(60, TimeUnit.SECONDS);
    }
  }

  /** Such as the settings that are read again while somebody chats. */
  @Test
  void aModelThatIsInUseWhenItsHostIsClosedIsReleasedAfterwards() throws Exception {
    try (LanguageModelHost host = host(Map.of("llm.model", GoldenModel.Q4_0.path().toString()))) {
      Use use = new Use(host);
      assertTrue(use.begun.await(60, TimeUnit.SECONDS));
      host.close();
      assertTrue(host.isLoaded());
      assertTrue(use.end());
      awaitReleased(host);
      boolean there = host.use(Optional::isPresent);
      assertTrue(there, "who had the host before has the model once more");
      assertFalse(host.isLoaded());
    }
  }

  /** On a GPU: here the settings say {@code auto}, and this machine has none. */
  @Test
  void afterAFailureOfTheGpuTheModelIsLoadedAnewAndTheWorkDoneAgain() throws Exception {
    try (LanguageModelHost host = host(Map.of("llm.model", GoldenModel.Q4_0.path().toString()))) {
      List<TextModel> given = new ArrayList<>();
      int result =
          host.use(
              model -> {
                given.add(model.orElseThrow());
                if (given.size() <= 2) {
                  throw GpuException.unfinished("it was lost");
                }
                return given.size();
              });
      assertEquals(3, result, "anew once, then on the CPU");
      assertEquals(3, Set.copyOf(given).size());
      assertEquals("cpu", given.getLast().backend().name());
      assertEquals(true, host.use(model -> model.orElseThrow() == given.getLast()));
    }
  }

  /** Else answers of the old file would be kept under the hash of the new one. */
  @Test
  void aModelWhoseFileWasReplacedIsLoadedAnew() throws Exception {
    Path file = Files.copy(GoldenModel.Q4_0.path(), folder.resolve("model.gguf"));
    try (LanguageModelHost host = host(Map.of("llm.model", file.toString()))) {
      TextModel before = host.use(Optional::orElseThrow);
      assertEquals(before, host.use(Optional::orElseThrow));
      Files.copy(GoldenModel.Q8_0.path(), file, StandardCopyOption.REPLACE_EXISTING);
      long bytes = host.use(model -> model.orElseThrow().file().mapped().bytes().byteSize());
      assertEquals(Files.size(GoldenModel.Q8_0.path()), bytes);
    }
  }

  @Test
  void aGpuThatTheSettingsNameFailsInTheEnd() throws Exception {
    Map<String, String> flags =
        Map.of("llm.model", GoldenModel.Q4_0.path().toString(), "llm.backend", "cpu");
    try (LanguageModelHost host = host(flags)) {
      AtomicInteger times = new AtomicInteger();
      assertThrows(
          GpuException.class,
          () ->
              host.use(
                  model -> {
                    times.incrementAndGet();
                    throw GpuException.unfinished("it was lost");
                  }));
      assertEquals(2, times.get());
      assertFalse(host.isLoaded());
    }
  }

  /** The use has ended for whoever asked a moment before the host has cleared up. */
  private static void awaitReleased(LanguageModelHost host) throws InterruptedException {
    for (int i = 0; i < 6_000 && host.isLoaded(); i++) {
      Thread.sleep(10);
    }
    assertFalse(host.isLoaded());
  }

  @Test
  void oneUseComesAfterTheOtherWithoutAModelToo() throws Exception {
    try (LanguageModelHost host = host(Map.of())) {
      Use first = new Use(host);
      assertTrue(first.begun.await(60, TimeUnit.SECONDS));
      Use second = new Use(host);
      while (!host.isWanted() && second.begun.getCount() > 0) {
        Thread.sleep(1);
      }
      assertEquals(1, second.begun.getCount(), "both at once");
      assertFalse(first.end());
      assertFalse(second.end());
    }
  }
}
