package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that compiled steps allocate no memory. If C2 keeps a kernel's vectors in objects, the
 * kernel allocates megabytes per token and is ten times slower. Compilation depends on timing, so
 * each case runs in a process of its own. The cases cover each way of compiling, of starting and of
 * multiplying, and each width of vectors. With {@code -Dproofs.all}, they cover all combinations.
 */
class AllocationTest {
  private static final String USUAL_TYPES = "Q4_K Q5_K Q6_K Q8_0";

  /** Types for which calls inside the Vector API see vectors of two sizes, not of three. */
  private static final String TWO_TYPES = "Q4_K Q5_K";

  private static final String WITHOUT_MACHINE_CODE = "-Dhelixbg.machine.code=false";

  private static final boolean ALL = Boolean.getBoolean("proofs.all");

  static List<Arguments> starts() {
    return ALL
        ? List.of(
            Arguments.of("tiered", "cold"),
            Arguments.of("tiered", "warm"),
            Arguments.of("c2", "cold"),
            Arguments.of("c2", "warm"))
        : List.of(Arguments.of("tiered", "cold"));
  }

  /** With the start {@code warm}, {@link KernelWarmUp} has compiled the kernels. */
  @ParameterizedTest
  @MethodSource("starts")
  void compiledKernelsLeaveNoGarbage(String kind, String start)
      throws IOException, InterruptedException {
    assertNoGarbage(kind, List.of(), start);
  }

  /** Returns kind, JVM options, start and types of further processes. */
  static List<Arguments> others() {
    // Vectors of most PCs' processors (256 bits), and the narrowest vectors (128 bits).
    List<String> narrower = List.of("-XX:UseAVX=2", "-XX:MaxVectorSize=16");
    if (!ALL) {
      return List.of(
          Arguments.of("tiered", narrower.getFirst(), "warm", USUAL_TYPES),
          Arguments.of("c2", WITHOUT_MACHINE_CODE, "cold", ""),
          Arguments.of("tiered", narrower.getLast(), "cold", TWO_TYPES));
    }
    List<Arguments> all = new ArrayList<>();
    for (String kind : List.of("tiered", "c2")) {
      narrower.forEach(vectors -> all.add(Arguments.of(kind, vectors, "warm", USUAL_TYPES)));
      all.add(Arguments.of(kind, WITHOUT_MACHINE_CODE, "warm", ""));
      all.add(Arguments.of(kind, WITHOUT_MACHINE_CODE, "cold", ""));
      String both = narrower.getFirst() + " " + WITHOUT_MACHINE_CODE;
      all.add(Arguments.of(kind, both, "warm", USUAL_TYPES));
    }
    narrower.forEach(vectors -> all.add(Arguments.of("tiered", vectors, "cold", TWO_TYPES)));
    return all;
  }

  /** Without machine code, kernels in the Vector API multiply prompts. */
  @ParameterizedTest
  @MethodSource("others")
  void norDoThoseOfNarrowerVectorsOrWithoutMachineCode(
      String kind, String options, String start, String types)
      throws IOException, InterruptedException {
    if (options.contains(WITHOUT_MACHINE_CODE)) {
      assumeTrue(ByteProduct.AVAILABLE, "the other tests run it");
    }
    String[] chosen = types.isEmpty() ? new String[0] : types.split(" ");
    assertNoGarbage(kind, List.of(options.split(" ")), start, chosen);
  }

  /** Runs the probe in a new JVM, because other tests would change the JIT's profiles. */
  private static void assertNoGarbage(
      String kind, List<String> options, String start, String... types)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(types));
    arguments.addFirst(start);
    assertEquals(
        "",
        ForkedJvm.runAsLaunched(
            kind, options, AllocationProbe.class, arguments.toArray(String[]::new)));
  }
}
