package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(strings = {"tiered", "c2"})
  void compiledKernelsLeaveNoGarbage(String options) throws IOException, InterruptedException {
    assertNoGarbage(options);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiered", "c2"})
  void norDoKernelsThatWereCompiledByTheSmallestCalls(String options)
      throws IOException, InterruptedException {
    assertNoGarbage(options, "warm");
  }

  /** In a JVM of its own, as the program is: other tests leave profiles behind. */
  private static void assertNoGarbage(String options, String... arguments)
      throws IOException, InterruptedException {
    String garbage = "";
    for (int i = 0; i < PROCESSES; i++) {
      garbage = ForkedJvm.runAsLaunched(options, AllocationProbe.class, arguments);
      if (garbage.isEmpty()) {
        return;
      }
    }
    assertEquals("", garbage);
  }
}
