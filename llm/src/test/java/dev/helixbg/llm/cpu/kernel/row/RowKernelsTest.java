package dev.helixbg.llm.cpu.kernel.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks matrix-vector products of every type, in JVMs with different vector widths and compilers.
 */
class RowKernelsTest {
  /** Milliseconds for which a kernel is repeated; the first few calls suffice to compile it. */
  private static final int COMPILED = 30;

  /** Argument that runs each kernel once, because the interpreter needs seconds for it. */
  private static final int ONCE = -1;

  /**
   * Types to run in the interpreter, one of each kind: floats, small blocks, blocks with and
   * without minima.
   */
  private static final List<String> INTERPRETED =
      Boolean.getBoolean("proofs.all") ? List.of() : List.of("F16", "Q8_0", "Q4_K", "Q6_K");

  /** Types whose narrow kernels round activations. */
  private static final Set<String> INTEGERS = Set.of("Q4_K", "Q5_K", "Q6_K");

  /**
   * Returns the permitted error, relative to the root of the sum of squares of a row's terms. The
   * terms have activations as the kernel rounds them. Kernels in 16-bit integers have errors from
   * low bits that they do not clear.
   */
  private static double bound(String kernel, int bits) {
    return bits < 512 && INTEGERS.contains(kernel.split(" ")[0]) ? 2e-3 : 1e-5;
  }

  /**
   * Returns the vector widths for runs without compilation. Another test covers 128 bits; with
   * {@code -Dproofs.all}, so does this one.
   */
  static List<Integer> widths() {
    return Boolean.getBoolean("proofs.all") ? List.of(128, 256) : List.of(256);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyTypeAgreesWithItsScalarTwinInVectorsOfAnyWidth(int bits) throws Exception {
    check(probe(ONCE, "-Dhelixbg.vector.bits=" + bits), bits);
  }

  /** Vectors of 512 bits need machine code for rows; see {@link Lanes#LARGEST}. */
  @Test
  void andOf512BitsWithMachineCode() throws Exception {
    assumeTrue(Lanes.LARGEST == 512, "no machine code here");
    check(run(ONCE, List.of(), List.of("-Dhelixbg.vector.bits=512")), 512);
  }

  private static void check(List<String> lines, int bits) {
    int expected = 0;
    for (TensorType type : TensorType.values()) {
      expected += KernelProbe.columns(type).length;
    }
    int products = 0;
    for (String line : lines) {
      String[] parts = line.split("\t");
      double error = Double.parseDouble(parts[1]);
      assertTrue(
          error <= bound(parts[0], bits),
          "%d bits: %s is off by %s".formatted(bits, parts[0], error));
      products += parts[0].matches("[A-Z].*") ? 1 : 0;
    }
    assertEquals(expected, products);
  }

  /**
   * Checks the code that C2 makes for processors whose widest vectors have 256 or 128 bits. The
   * probe fails if compilation changes a result.
   */
  @ParameterizedTest
  @CsvSource({"-XX:UseAVX=2, 256", "-XX:MaxVectorSize=16, 128"})
  void andWhereInstructionsAreThoseOfNarrowerVectors(String vectors, int bits) throws Exception {
    check(probe(COMPILED, "-XX:+IgnoreUnrecognizedVMOptions", vectors), bits);
  }

  /**
   * Compares results of an interpreter with results of compiled code, for some types; with {@code
   * -Dproofs.all}, for all types. The probe itself also fails if a result changes from its first,
   * interpreted run to the last.
   */
  @Test
  void resultsAreTheSameInterpretedAndCompiledBitForBit() throws Exception {
    List<String> compiled = probe(COMPILED);
    List<String> interpreted = probe(ONCE, INTERPRETED, "-Xint");
    List<String> names = interpreted.stream().map(line -> line.split("\t")[0]).toList();
    compiled = compiled.stream().filter(line -> names.contains(line.split("\t")[0])).toList();
    assertEquals(interpreted, compiled);
    assertTrue(interpreted.stream().anyMatch(line -> line.startsWith("Q4_K ")));
  }

  @Test
  void everyHalfFloatTimesOneIsItself() {
    int columns = 64;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment weights = arena.allocate(2L * 65536 * columns, 64);
      for (int i = 0; i < 65536; i++) {
        weights.setAtIndex(ValueLayout.JAVA_SHORT, (long) i * columns + i % 61, (short) i);
      }
      MemorySegment x = arena.allocate(4L * columns, 64);
      for (int i = 0; i < columns; i++) {
        x.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
      }
      RowKernel kernel = RowKernels.of(TensorType.F16);
      MemorySegment prepared = arena.allocate(4L * kernel.floats(columns), 64);
      kernel.prepare(x.address(), columns, prepared.address());
      MemorySegment y = arena.allocate(4L * 65536, 64);
      RowKernels.multiply(
          TensorType.F16,
          weights.address(),
          columns,
          prepared.address(),
          y.address(),
          0,
          65536,
          1,
          arena.allocate(4L * columns, 64).address());
      for (int i = 0; i < 65536; i++) {
        float expected = Float.float16ToFloat((short) i) + 0f;
        assertEquals(expected, y.getAtIndex(ValueLayout.JAVA_FLOAT, i), Integer.toHexString(i));
      }
    }
  }

  private static List<String> probe(int milliseconds, String... flags)
      throws IOException, InterruptedException {
    return probe(milliseconds, List.of(), flags);
  }

  private static List<String> probe(int milliseconds, List<String> types, String... flags)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(flags));
    all.add("-Dhelixbg.machine.code=false"); // ByteRowProductTest tests machine code
    return run(milliseconds, types, all);
  }

  private static List<String> run(int milliseconds, List<String> types, List<String> flags)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(types);
    arguments.addFirst(Integer.toString(milliseconds));
    return ForkedJvm.run(
            Redirect.INHERIT, flags, KernelProbe.class, arguments.toArray(String[]::new))
        .lines()
        .toList();
  }
}
