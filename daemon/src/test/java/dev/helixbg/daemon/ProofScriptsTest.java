package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the scripts that run the tests which scripts/check leaves out. A fake Maven only writes
 * reports.
 */
@Timeout(600)
class ProofScriptsTest {
  private static final String TIME = ", \\d+ min \\d+ s";

  @TempDir Path folder;

  private Path bin;

  @BeforeEach
  void copyScripts() throws IOException {
    for (String script :
        List.of("proofs", "check-arm64", "check-vectors", "lib/jdk.sh", "lib/maven.sh")) {
      Path copy = folder.resolve("scripts").resolve(script);
      Files.createDirectories(copy.getParent());
      Files.copy(Program.ROOT.resolve("scripts").resolve(script), copy);
    }
    bin = Files.createDirectory(folder.resolve("bin"));
    program(bin.resolve("qemu-aarch64"), "exit 0");
    program(bin.resolve("uname"), "echo x86_64");
    String tree = "cache/helix-bg/aarch64/tree/usr/lib/jvm/java-25-openjdk-arm64/bin/java";
    Path java = folder.resolve(tree);
    Files.createDirectories(java.getParent());
    program(java, "echo '     intx MaxVectorSize = 16'; echo 'openjdk version \"25\"'");
    maven("CpuBackendContractTest CpuGoldenOneThreadTest CpuGoldenTwoThreadsTest AllPairsTest");
  }

  private static void program(Path file, String commands) throws IOException {
    Files.writeString(file, "#!/usr/bin/env bash\n" + commands + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  /** Makes a fake Maven that writes a report for each class: two tests, one of them skipped. */
  private void maven(String classes) throws IOException {
    program(
        bin.resolve("mvn"),
        "[ \"$1\" != --version ] || { echo 'Apache Maven 3.9.9'; exit; }\n"
            + "mkdir -p {llm,insight}/target/surefire-reports\n"
            + "for class in "
            + classes
            + "; do\n"
            + "  printf '<testcase name=\"a\"/>\\n<testcase name=\"b\"><skipped/></testcase>\\n'"
            + " > llm/target/surefire-reports/TEST-p.$class.xml\n"
            + "done");
  }

  private String said(int code, String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    Program.Ended ended =
        ExternalTool.run(builder.directory(folder.toFile()).redirectErrorStream(true));
    assertEquals(code, ended.code(), ended.out());
    return ended.out();
  }

  private void assertEnds(String pattern, String... command) throws Exception {
    String last = said(0, command).lines().toList().getLast();
    assertTrue(last.matches(pattern), last);
  }

  @Test
  void theLastLineSaysWhatPassed() throws Exception {
    String tests = "all passed: 8 tests, 4 of them skipped" + TIME;
    assertEnds("check-arm64: " + tests, "scripts/check-arm64", "--quick");
    assertEnds("proofs: " + tests, "scripts/proofs");
    assertEnds(
        "check-vectors: all passed: 48 tests \\(sets of options: 6\\)" + TIME,
        "scripts/check-vectors");
    assertEnds(
        "check-vectors: all passed: 8 tests \\(sets of options: 1\\)" + TIME,
        "scripts/check-vectors",
        "-XX:UseAVX=1");
  }

  @Test
  void aTestThatIsMissingFails() throws Exception {
    maven("CpuBackendContractTest");
    said(1, "scripts/check-vectors");
    maven("");
    said(2, "scripts/check-vectors", "-XX:UseAVX=1");
    said(2, "scripts/check-arm64", "--quick");
  }

  @Test
  void theScheduledWorkflowRunsThemAll() throws IOException {
    String workflow = Files.readString(Program.ROOT.resolve(".github/workflows/proofs.yml"));
    assertTrue(workflow.contains("schedule:"));
    for (String run :
        List.of(
            "proofs",
            "torture --hours 0.5",
            "check-arm64",
            "check-vectors",
            "check-package",
            "check-deb")) {
      assertTrue(
          workflow.contains(" scripts/" + run + "\n")
              || workflow.contains(" scripts/" + run + " target/package"),
          run);
    }
  }
}
