package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher does with stderr: nothing of the JVM's, each message in its place. */
class LauncherIT {
  @TempDir Path home;

  /** Runs a line of bash in which {@code $hb} is the launcher. */
  private String err(String line) throws Exception {
    Path err = home.resolve("err");
    Files.deleteIfExists(err);
    Process process =
        new Program(home)
            .start(
                List.of("bash", "-c", "hb=$0; " + line.replace("ERR", err.toString())),
                home.resolve("out"),
                home.resolve("unused"));
    process.waitFor(2, TimeUnit.MINUTES);
    return Files.readString(err) + Files.readString(home.resolve("unused"));
  }

  private static final String UNKNOWN =
      "helix-bg: Unmatched argument at index 0: '%s'\nhelix-bg: try: helix-bg --help\n";

  @Test
  void aFileGetsMessagesInOrderAndNoWarning() throws Exception {
    String expected =
        UNKNOWN.formatted("one") + "between\n" + UNKNOWN.formatted("two") + "behind\n";
    String commands = "{ $hb one; echo between >&2; $hb two; echo behind >&2; }";
    assertEquals(expected, err(commands + " 2>ERR"));
    assertEquals(expected, err(commands + " 2>>ERR"));
  }

  @Test
  void soDoesAPipe() throws Exception {
    assertEquals(UNKNOWN.formatted("one"), err("{ $hb one; } 2>&1 >/dev/null | cat > ERR"));
  }

  @Test
  void aClosedStderrIsNoReasonToFail() throws Exception {
    assertEquals("helix-bg 0", err("$hb --version 2>&- | cut -c1-10 > ERR").strip());
  }
}
