package dev.helixbg.daemon;

import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A little of what scripts/torture does for hours to the built program. */
@Timeout(600)
class TortureIT {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"kill", "disk", "socket", "injection"})
  void nothingIsFound(String area) throws Exception {
    TortureTest.run(area, 1, folder);
  }
}
