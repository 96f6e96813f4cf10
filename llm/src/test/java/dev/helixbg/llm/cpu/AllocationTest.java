package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Once compiled, no step allocates: a kernel whose vectors C2 keeps in objects makes megabytes per
 * token, and is ten times slower.
 */
class AllocationTest {
  /**
   * Compilation depends on what ran before and on timing. A kernel that C2 cannot hold in registers
   * is boxed in every process.
   */
  private static final int PROCESSES = 3;

  @Test
  void compiledKernelsLeaveNoGarbage() throws IOException, InterruptedException {
    String garbage = "";
    for (int i = 0; i < PROCESSES; i++) {
      garbage = probe();
      if (garbage.isEmpty()) {
        return;
      }
    }
    assertEquals("", garbage);
  }

  /** In a JVM of its own, as the program is: other tests leave profiles behind. */
  private static String probe() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(AllocationProbe.class.getName());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return printed;
  }
}
