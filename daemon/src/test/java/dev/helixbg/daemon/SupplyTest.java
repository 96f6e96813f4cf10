package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that hashes fix the foreign code that the build and its workflows run, and that a workflow
 * runs all proofs.
 */
class SupplyTest {
  private static final Pattern USES = Pattern.compile("(?m)^\\s*(?:- )?uses: (.*)$");
  private static final String PINNED = "[\\w.-]+/[\\w./-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+";

  @Test
  void eachActionIsPinnedToACommitAndNamesItsVersion() throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> workflows = Files.list(Program.ROOT.resolve(".github/workflows"))) {
      for (Path workflow : workflows.toList()) {
        USES.matcher(Files.readString(workflow))
            .results()
            .map(use -> use.group(1))
            .forEach(all::add);
      }
    }
    assertTrue(all.size() > 5, "actions found: " + all);
    assertEquals(List.of(), all.stream().filter(use -> !use.matches(PINNED)).toList());
  }

  @Test
  void mavenIsToldToRefuseWrongChecksums() throws IOException {
    assertEquals(
        List.of("--strict-checksums"),
        Files.readAllLines(Program.ROOT.resolve(".mvn/maven.config")));
  }

  @Test
  void theScheduledWorkflowRunsAllProofs() throws IOException {
    String workflow = Files.readString(Program.ROOT.resolve(".github/workflows/proofs.yml"));
    assertTrue(workflow.contains("schedule:"));
    List<String> scripts = List.of("proofs", "torture --hours 0.5", "check-arm64", "check-vectors");
    for (String run : scripts) {
      assertTrue(workflow.contains(" scripts/" + run + "\n"), run);
    }
    for (String run : List.of("check-package", "check-deb")) {
      assertTrue(workflow.contains(" scripts/" + run + " target/package"), run);
    }
  }
}
