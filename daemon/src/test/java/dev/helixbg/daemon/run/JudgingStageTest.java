package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.llm.GpuRetry;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asks a tiny test model questions while a GPU fails. The test simulates the failures. */
class JudgingStageTest {
  @TempDir Path folder;

  private final List<String> news = new ArrayList<>();
  private int begun;

  /** Asks a measured model; the first {@code failures} attempts fail. */
  private Judgements ask(int failures, Map<String, String> more) throws Exception {
    JudgeProgress failing =
        (_, _) -> {
          begun++;
          if (begun <= failures) {
            throw GpuException.unfinished("it was lost");
          }
          return Progress.SILENT;
        };
    return ask(
        more,
        true,
        new JudgingStage.Asking(
            1,
            new GpuRetry(news::add),
            System::nanoTime,
            JudgeProgress.SILENT,
            failing,
            () -> false,
            false));
  }

  private Judgements ask(Map<String, String> more, boolean isMeasured, JudgingStage.Asking asking)
      throws Exception {
    Map<String, String> flags = new HashMap<>(more);
    flags.put("llm.model", GoldenModel.Q4_0.path().toString());
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(1), 3);
    DaemonFixture daemon = new DaemonFixture(folder, writer.kb(), flags);
    if (isMeasured) {
      KnownTrial.of(daemon.settings);
    }
    daemon.run(Duration.ofSeconds(10));
    Pipeline.Outcome outcome = daemon.watch.update().outcome().orElseThrow();
    return new JudgingStage(daemon.settings, asking, news::add)
        .ask(
            new JudgingStage.Subject(
                daemon.store(),
                outcome.report().findings(),
                outcome.vectors().entries().vectors().rows(),
                new FakeModel()));
  }

  @Test
  void afterTwoFailuresOfTheGpuTheCpuAnswers() throws Exception {
    Judgements judged = ask(2, Map.of());
    assertEquals(3, judged.guesses().size());
    judged
        .guesses()
        .values()
        .forEach(guess -> assertEquals(LabelGuess.Origin.MODEL, guess.origin()));
    assertEquals(2, news.size(), news.toString());
    assertTrue(news.getLast().contains("the CPU takes over"), news.toString());
  }

  @Test
  void aBackendThatTheSettingsNameFailsInTheEnd() {
    assertThrows(GpuException.class, () -> ask(9, Map.of("llm.backend", "cpu")));
    assertEquals(2, begun);
  }

  @Test
  void aDaemonAsksEvenIfMeasuringTookAllTheTime() throws Exception {
    AtomicLong now = new AtomicLong();
    JudgeProgress slow =
        (_, _) ->
            (questions, _) -> {
              now.addAndGet(Duration.ofHours(1).toNanos());
            };
    JudgingStage.Asking asking =
        new JudgingStage.Asking(
            1, new GpuRetry(news::add), now::get, slow, JudgeProgress.SILENT, () -> false, true);
    assertEquals(3, ask(Map.of(), false, asking).guesses().size());
    assertTrue(now.get() > 0, "the model was measured");
  }
}
