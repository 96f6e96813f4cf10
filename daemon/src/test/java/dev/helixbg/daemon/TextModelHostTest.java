package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.golden.GoldenModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a model stays loaded without work, as {@code daemon.model_idle_minutes} says. */
class TextModelHostTest {
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
    try (TextModelHost host = new TextModelHost(daemon.settings, daemon.clock, daemon.metrics)) {
      assertEquals(true, host.use(Optional::isPresent));
      daemon.clock.pass(Duration.ofSeconds(idleSeconds));
      assertEquals(released, host.releaseAfter(daemon.settings.daemon().modelIdle()));
      assertEquals(!released, host.isLoaded());
    }
  }
}
