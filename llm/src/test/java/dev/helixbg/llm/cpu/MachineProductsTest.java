package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares products of prompts, for every type, between a JVM with machine code and a JVM without
 * it.
 */
class MachineProductsTest {
  private static final int TOKENS = 70;
  private static final int ROWS = 61;
  private static final int COLUMNS = 1280;

  private static final Set<TensorType> USUAL_TYPES =
      EnumSet.of(TensorType.Q4_K, TensorType.Q5_K, TensorType.Q6_K);

  private record Result(boolean inBytes, float[] values) {}

  /**
   * Permitted relative difference of a token's results if activations are rounded to a 127th of the
   * largest.
   */
  private static final double ROUNDING = 1e-2;

  /**
   * Permitted relative difference if only the order of additions differs: without machine code,
   * vectors have 256 bits instead of 512.
   */
  private static final double ORDER_OF_SUMS = 1e-5;

  @ParameterizedTest
  @ValueSource(ints = {256, 512})
  void resultsAgreeWithinTheRounding(int bits) throws Exception {
    Map<TensorType, Result> with = results(bits, true);
    assumeTrue(!with.isEmpty(), "the processor has no products of bytes of " + bits + " bits");
    Map<TensorType, Result> without = results(bits, false);
    for (TensorType type : TensorType.values()) {
      float[] expected = without.get(type).values();
      float[] actual = with.get(type).values();
      double worst = 0;
      for (int t = 0; t < TOKENS; t++) {
        worst = Math.max(worst, difference(expected, actual, t * ROWS));
      }
      assertFalse(without.get(type).inBytes(), type + " without machine code");
      if (!with.get(type).inBytes()) {
        assertFalse(USUAL_TYPES.contains(type), type + " is not multiplied in bytes");
        assertTrue(worst <= ORDER_OF_SUMS, type + " is off by " + worst);
        continue;
      }
      assertTrue(worst <= ROUNDING, type + " is off by " + worst);
      assertFalse(Arrays.equals(expected, actual), type + " was not multiplied by machine code");
    }
  }

  /** Returns the norm of a token's differences, relative to the norm of its results. */
  private static double difference(float[] expected, float[] actual, int from) {
    double difference = 0;
    double size = 0;
    for (int i = from; i < from + ROWS; i++) {
      difference += Math.pow((double) actual[i] - expected[i], 2);
      size += Math.pow(expected[i], 2);
    }
    return Math.sqrt(difference / size);
  }

  /**
   * Returns the results of each type. They are empty if machine code is wanted, but not available.
   */
  private static Map<TensorType, Result> results(int bits, boolean machineCode) throws Exception {
    List<String> options =
        List.of("-Dhelixbg.vector.bits=" + bits, "-Dhelixbg.machine.code=" + machineCode);
    String printed =
        ForkedJvm.run(
            Redirect.INHERIT, options, MachineProductsTest.class, Boolean.toString(machineCode));
    Map<TensorType, Result> results = new EnumMap<>(TensorType.class);
    for (String line : printed.lines().toList()) {
      String[] words = line.split(" ");
      float[] values = new float[TOKENS * ROWS];
      assertEquals(values.length + 2, words.length);
      for (int i = 0; i < values.length; i++) {
        values[i] = Float.parseFloat(words[i + 2]);
      }
      Result result = new Result(Boolean.parseBoolean(words[1]), values);
      results.put(TensorType.valueOf(words[0]), result);
    }
    return results;
  }

  /**
   * Prints for each type whether it is multiplied in bytes, and its results.
   *
   * @param arguments {@code true} if machine code is wanted, else {@code false}. If this JVM
   *     differs, nothing is printed
   */
  public static void main(String[] arguments) {
    if (ByteProduct.AVAILABLE != Boolean.parseBoolean(arguments[0])) {
      return;
    }
    for (TensorType type : TensorType.values()) {
      try (Arena arena = Arena.ofShared();
          CpuBackend backend = new CpuBackend(2, () -> {})) {
        StringBuilder line = new StringBuilder(type + " " + ByteMatmul.takes(type));
        Tensor weights = CpuProduct.weights(arena, type, ROWS, COLUMNS);
        for (float[] row : CpuProduct.of(backend, weights, TOKENS)) {
          for (float value : row) {
            line.append(' ').append(value);
          }
        }
        System.out.println(line);
      }
    }
  }
}
