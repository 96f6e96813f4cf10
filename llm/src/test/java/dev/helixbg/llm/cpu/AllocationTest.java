package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
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
    assertNoGarbage();
  }

  @Test
  void norDoKernelsThatWereCompiledByTheSmallestCalls() throws IOException, InterruptedException {
    assertNoGarbage("warm");
  }

  private static void assertNoGarbage(String... arguments)
      throws IOException, InterruptedException {
    String garbage = "";
    for (int i = 0; i < PROCESSES; i++) {
      garbage = probe(arguments);
      if (garbage.isEmpty()) {
        return;
      }
    }
    assertEquals("", garbage);
  }

  /** In a JVM of its own, as the program is: other tests leave profiles behind. */
  private static String probe(String... arguments) throws IOException, InterruptedException {
    return ForkedJvm.run(Redirect.DISCARD, List.of(), AllocationProbe.class, arguments);
  }
}
