package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs a few cases of scripts/torture in this process: each fault and each damaged file, in a
 * one-shot run and in a daemon.
 */
class TortureTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"files, 8", "damage, 16"})
  void nothingIsFound(String area, int cases) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    Torture torture = new Torture(folder, Program.DIST, out);
    long failed = torture.run(List.of(area), 1, cases, 20_261_122);
    String said = printed.toString(StandardCharsets.UTF_8);
    assertEquals(0, failed, said);
    assertTrue(said.contains(cases + " cases"), said);
    assertTrue(said.endsWith("torture: " + cases + " passed, 0 failed\n"), said);
  }
}
