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
  /** What most files of models for such machines hold. */
  private static final String[] USUAL_TYPES = {"Q4_K", "Q5_K", "Q6_K", "Q8_0"};

  private static final String WITHOUT_MACHINE_CODE = "-Dhelixbg.machine.code=false";

  private static final boolean ALL = Boolean.getBoolean("proofs.all");

  /** These of two kinds of compilation with one of two each; with {@code ALL}, with both. */
  private static List<Arguments> kinds(String first, String second, Arguments... usual) {
    if (!ALL) {
      return List.of(usual);
    }
    List<Arguments> kinds = new ArrayList<>();
    for (String kind : List.of("tiered", "c2")) {
      kinds.add(Arguments.of(kind, first));
      kinds.add(Arguments.of(kind, second));
    }
    return kinds;
  }

  static List<Arguments> starts() {
    return kinds("cold", "warm", Arguments.of("tiered", "cold"));
  }

  /** Warm, kernels were compiled by the smallest calls. */
  @ParameterizedTest
  @MethodSource("starts")
  void compiledKernelsLeaveNoGarbage(String kind, String start)
      throws IOException, InterruptedException {
    assertNoGarbage(kind, List.of(), start);
  }

  static List<Arguments> narrower() {
    return kinds("-XX:UseAVX=2", "-XX:MaxVectorSize=16", Arguments.of("tiered", "-XX:UseAVX=2"));
  }

  /** What the processors of most PCs have, and the narrowest there is. */
  @ParameterizedTest
  @MethodSource("narrower")
  void norDoThoseForNarrowerVectors(String kind, String vectors)
      throws IOException, InterruptedException {
    assertNoGarbage(kind, List.of(vectors), "warm", USUAL_TYPES);
  }

  static List<Arguments> ownStarts() {
    List<Arguments> starts = new ArrayList<>();
    starts.addAll(kinds("warm", "cold", Arguments.of("c2", "cold")));
    starts.replaceAll(start -> Arguments.of(start.get()[0], start.get()[1], ""));
    if (ALL) {
      starts.add(Arguments.of("c2", "warm", "-XX:UseAVX=2"));
      starts.add(Arguments.of("tiered", "warm", "-XX:UseAVX=2"));
    }
    return starts;
  }

  /**
   * What multiplies prompts there is other code; where there is none of the machine's, see above.
   */
  @ParameterizedTest
  @MethodSource("ownStarts")
  void norDoTheVectorApisOwn(String kind, String start, String vectors)
      throws IOException, InterruptedException {
    assumeTrue(ByteProduct.AVAILABLE, "the other tests run it");
    if (vectors.isEmpty()) {
      assertNoGarbage(kind, List.of(WITHOUT_MACHINE_CODE), start);
    } else {
      assertNoGarbage(kind, List.of(vectors, WITHOUT_MACHINE_CODE), start, USUAL_TYPES);
    }
  }

  static List<String> widths() {
    return ALL ? List.of("-XX:UseAVX=2", "-XX:MaxVectorSize=16") : List.of("-XX:MaxVectorSize=16");
  }

  /** Calls inside the Vector API then see vectors of two sizes, not of three. */
  @ParameterizedTest
  @MethodSource("widths")
  void norDoTwoTypesAlone(String vectors) throws IOException, InterruptedException {
    assertNoGarbage("tiered", List.of(vectors), "cold", "Q4_K", "Q5_K");
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
