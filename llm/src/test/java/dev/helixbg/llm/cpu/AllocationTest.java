package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.llm.cpu.x86.ByteProduct;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Once compiled, no step allocates: a kernel whose vectors C2 keeps in objects makes megabytes per
 * token, and is ten times slower. Compilation depends on timing, so this is one of many processes:
 * none of them may. Each way of compiling, of starting and of multiplying and each width of vectors
 * is met here; all combinations of them with {@code -Dproofs.all}.
 */
class AllocationTest {
  private static final String USUAL_TYPES = "Q4_K Q5_K Q6_K Q8_0";

  /** Calls inside the Vector API then see vectors of two sizes, not of three. */
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

  /** Warm, kernels were compiled by the smallest calls. */
  @ParameterizedTest
  @MethodSource("starts")
  void compiledKernelsLeaveNoGarbage(String kind, String start)
      throws IOException, InterruptedException {
    assertNoGarbage(kind, List.of(), start);
  }

  /** The kind, options, start and types of processes that run other code. */
  static List<Arguments> others() {
    // What the processors of most PCs have, and the narrowest there is.
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

  /** Without machine code, the Vector API's own code multiplies prompts. */
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

  /** In a JVM of its own, as the program is: other tests leave profiles behind. */
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
