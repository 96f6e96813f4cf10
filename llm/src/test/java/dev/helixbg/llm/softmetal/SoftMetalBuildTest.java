package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Tests systems on which the software Metal cannot be built: there, tests are skipped with a
 * reason, and fail under CI.
 */
class SoftMetalBuildTest {
  @Test
  void namesWhatIsMissing(@TempDir Path folder) throws IOException {
    for (String tool : new String[] {"g++", "ld.lld-19"}) {
      Files.createFile(
          folder.resolve(tool),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    String missing = SoftMetalBuild.missing("Linux amd64", "/nowhere:" + folder).orElseThrow();
    assertTrue(missing.startsWith("clang++-19 is missing"), missing);
    assertTrue(missing.contains("apt-get install g++ clang-19 lld-19"), missing);
    Files.createFile(
        folder.resolve("clang++-19"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    assertEquals(Optional.empty(), SoftMetalBuild.missing("Linux amd64", folder.toString()));
    assertTrue(
        SoftMetalBuild.missing("Mac OS X aarch64", folder.toString())
            .orElseThrow()
            .contains("not on Mac OS X"));
  }

  @Test
  void skipsTestsAndFailsUnderCi() {
    String reason = "clang++-19 is missing";
    var skipped =
        assertThrows(TestAbortedException.class, () -> SoftMetal.skipOrFail(reason, false));
    assertTrue(skipped.getMessage().contains("skipped because " + reason), skipped.getMessage());
    var failed = assertThrows(AssertionFailedError.class, () -> SoftMetal.skipOrFail(reason, true));
    assertTrue(failed.getMessage().contains(reason), failed.getMessage());
  }
}
