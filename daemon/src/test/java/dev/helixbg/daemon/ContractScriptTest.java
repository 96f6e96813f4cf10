package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests scripts/lib/contract.sh, which decides when scripts/check tests the stand-ins in full. */
class ContractScriptTest {
  private static final String WHOLE = "-Dcontract.without=\n";
  private static final String TEST = "<testcase name=\"attentionAgrees()\"/>";

  @TempDir Path folder;

  private Path kernel;

  @BeforeEach
  void makeSources() throws Exception {
    String script = Files.readString(Program.ROOT.resolve("scripts/lib/contract.sh"));
    write("scripts/lib/contract.sh", script);
    for (String source : said(Program.ROOT, "echo $contract_sources").strip().split(" ")) {
      write(source.endsWith(".xml") ? source : source + "/source", "as it was");
    }
    kernel = write("llm/src/main/resources/dev/kernel.metal", "as it was");
    write("llm/src/main/java/dev/helixbg/llm/tokenizer/Other.java", "as it was");
  }

  private Path write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  private void report(String device, String text) throws IOException {
    write("llm/target/surefire-reports/TEST-a." + device + "BackendContractTest.xml", text);
  }

  private String said(Path root, String commands) throws Exception {
    ProcessBuilder bash =
        new ProcessBuilder(
            "bash", "-c", "set -euo pipefail; source scripts/lib/contract.sh; " + commands);
    bash.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    return ExternalTool.said(bash.directory(root.toFile()));
  }

  private String option() throws Exception {
    return said(folder, "contract_option $(contract_mark)");
  }

  private void check() throws Exception {
    said(folder, "umask 000; mark_contract $(contract_mark)");
  }

  @Test
  void allSourcesOfTheContractExist() throws Exception {
    said(Program.ROOT, "for source in $contract_sources; do [ -e $source ] || exit 1; done");
  }

  @Test
  void theWorkflowKeepsMarksByTheSameSources() throws Exception {
    String workflow = Files.readString(Program.ROOT.resolve(".github/workflows/check.yml"));
    for (String source : said(Program.ROOT, "echo $contract_sources").strip().split(" ")) {
      String pattern = source.endsWith(".xml") ? source : source + "/**";
      assertTrue(workflow.contains("'" + pattern + "'"), pattern);
    }
  }

  @Test
  void whatHeldRunsAgainOnlyWithOtherSources() throws Exception {
    assertEquals(WHOLE, option());
    report("Metal", TEST);
    report("Cuda", TEST);
    check();
    assertEquals("", option());
    assertEquals(
        "rwx------",
        OnDisk.mode(folder.resolve("cache/helix-bg")),
        "the program refuses a cache that others may write to");
    write("llm/src/main/java/dev/helixbg/llm/tokenizer/Other.java", "changed");
    assertEquals("", option());
    Files.writeString(kernel, "changed");
    assertEquals(WHOLE, option());
    Files.writeString(kernel, "as it was");
    assertEquals("", option());
    Files.move(kernel, kernel.resolveSibling("renamed.metal"));
    assertEquals(WHOLE, option());
  }

  @Test
  void testsThatWereSkippedOrLeftOutHoldNothing() throws Exception {
    report("Metal", TEST);
    check();
    assertEquals(WHOLE, option());
    report("Cuda", "<testcase name=\"attentionOfOneShapeAgrees()\"/>");
    check();
    assertEquals(WHOLE, option());
    report("Cuda", TEST + "<testcase name=\"drawsAgree\"><skipped/></testcase>");
    check();
    assertEquals(WHOLE, option());
  }
}
