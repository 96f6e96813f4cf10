package dev.helixbg.daemon;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs a few cases of scripts/torture, which tests the built program for hours. */
@Timeout(600)
class TortureIT {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"disk", "socket"})
  void nothingIsFound(String area) throws Exception {
    TortureTest.run(area, 1, folder);
  }

  @Test
  void nothingIsLostWhenKilled() throws Exception {
    Path dist = Program.DIST;
    try (TortureKill kill = new TortureKill(folder, dist, 1)) {
      kill.run(20_261_122); // a seed that kills a daemon
    }
  }
}
