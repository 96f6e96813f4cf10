package dev.helixbg.daemon;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs a few cases of scripts/torture, which tests the built program for hours. */
@Timeout(600)
class TortureIT {
  @TempDir Path folder;

  @Test
  void nothingIsLostWhenKilled() throws Exception {
    Path dist = Program.DIST;
    try (TortureKill kill = new TortureKill(folder, dist, 1)) {
      kill.run(20_261_122); // a seed that kills a daemon
    }
  }
}
