package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.PANEL;
import static dev.helixbg.embed.encoder.Square.SIDE;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the kernels with scalar code. If the order of additions does not matter, all bits must
 * be equal; otherwise, the difference may be as large as rounding errors of floats. A kernel must
 * not change memory after the end of its results.
 */
class EncoderKernelsTest {
  private static final Map<Square, EncoderKernels> KERNELS = new EnumMap<>(Square.class);
  private static final Mask MASK = new Mask(Arena.global());
  private static final int[] PRODUCT_ROWS = {1, 5, 6, 7, 12, 13, 96};
  private static final int[] ROWS = {1, 2, 7};
  private static final int[] TOKENS = {1, 2, 5, 6, 7, 8, 31, 32, 33, 77, 512};

  static {
    for (Square kind : Square.values()) {
      if (Encoder.isAvailable(kind)) {
        KERNELS.put(kind, EncoderKernels.ofThisMachine(kind));
      }
    }
  }

  private final SplittableRandom random = new SplittableRandom(6);
  private final Arena arena = Arena.ofAuto();

  private final CRC32C digest = new CRC32C();

  @BeforeEach
  void hasInstructions() {
    assumeTrue(!KERNELS.isEmpty(), "no processor that multiplies bytes");
  }

  /**
   * Digests of all results on this machine, computed once. Results of other instruction sets are
   * compared with them.
   */
  private static final class Digests {
    static final List<String> OF_THIS_MACHINE =
        KERNELS.keySet().stream().map(EncoderKernelsTest::digest).toList();
  }

  /** Tests products, rounding, GELU, normalisation and attention. */
  @ParameterizedTest
  @EnumSource
  void kernelsComputeWhatScalarsDo(Square kind) {
    assumeTrue(KERNELS.containsKey(kind), "no processor that multiplies them");
    digest(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Dhelixbg.machine.code=avx2",
        "-Dhelixbg.machine.code=avx_vnni",
        "-Dhelixbg.vector.bits=256"
      })
  void otherInstructionsGiveTheSameBits(String option) throws Exception {
    List<String> printed = ForkedJvm.runPlain(option, EncoderKernelsTest.class).lines().toList();
    assumeFalse(printed.isEmpty(), "no such instructions");
    List<String> digests = Digests.OF_THIS_MACHINE;
    assertTrue(digests.containsAll(printed), () -> printed + ", not " + digests);
  }

  /**
   * Runs all tests in a JVM with another instruction set, which may support fewer kinds. Prints
   * each kind with the digest of its results.
   */
  public static void main(String[] arguments) {
    KERNELS.keySet().forEach(kind -> System.out.println(digest(kind)));
  }

  private static String digest(Square kind) {
    EncoderKernelsTest test = new EncoderKernelsTest();
    Arrays.stream(PRODUCT_ROWS).forEach(rows -> test.product(kind, rows, false));
    Arrays.stream(PRODUCT_ROWS).forEach(rows -> test.product(kind, rows, true));
    Arrays.stream(ROWS).forEach(rows -> test.round(kind, rows));
    Arrays.stream(ROWS).forEach(rows -> test.gelu(kind, rows));
    Arrays.stream(ROWS).forEach(rows -> test.normalise(kind, rows));
    Arrays.stream(TOKENS).forEach(test::attention);
    return kind + " " + Long.toHexString(test.digest.getValue());
  }

  /**
   * @param extreme whether sums have the largest possible magnitude
   */
  private void product(Square kind, int rows, boolean extreme) {
    int used = Math.ceilDiv(rows, SquareCode.ROWS) * SquareCode.ROWS;
    MemorySegment numbers = bytes(used * kind.row);
    MemorySegment square = square(kind, extreme);
    for (int i = 0; kind == Square.SHORTS && i < used * SIDE; i++) {
      int most = kind.mostUnsigned;
      int number = extreme ? most : random.nextInt(-most, most + 1);
      numbers.setAtIndex(JAVA_SHORT, i, (short) number);
    }
    if (kind.inAnInt == 4 && extreme) {
      numbers.fill((byte) 255);
    }
    MemorySegment steps = floats(used, 1);
    MemorySegment sums = floats((used + 1) * SIDE, 1);
    float[] expected = sums.toArray(JAVA_FLOAT);
    int[] products = exactSums(kind, numbers, square, used);
    for (boolean adds : new boolean[] {false, true}) {
      KERNELS
          .get(kind)
          .product(
              numbers.address(), steps.address(), square.address(), sums.address(), rows, adds);
      for (int i = 0; i < used * SIDE; i++) {
        int panel = i % SIDE / PANEL * kind.panel;
        int lane = 4 * (i % PANEL);
        float before = adds ? expected[i] : square.get(JAVA_FLOAT, panel + kind.biases + lane);
        float product = products[i] * square.get(JAVA_FLOAT, panel + kind.steps + lane);
        expected[i] = Math.fma(steps.getAtIndex(JAVA_FLOAT, i / SIDE), product, before);
      }
      assertSame(expected, sums);
    }
  }

  /** Returns the exact sums of products of integers; throws if a sum does not fit into an int. */
  private static int[] exactSums(
      Square kind, MemorySegment numbers, MemorySegment square, int rows) {
    ByteBuffer x = numbers.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer y = square.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    int[] sums = new int[rows * SIDE];
    int[] weights = new int[SIDE];
    int[] activations = new int[rows * SIDE];
    for (int i = 0; i < activations.length; i++) {
      activations[i] = Scalars.activation(kind, x, i / SIDE * kind.row, i % SIDE);
    }
    for (int output = 0; output < SIDE; output++) {
      int start =
          square.get(JAVA_INT, output / PANEL * kind.panel + kind.starts + 4 * (output % PANEL));
      for (int place = 0; place < SIDE; place++) {
        weights[place] = Scalars.weight(kind, y, 0, output, place);
      }
      for (int row = 0; row < rows; row++) {
        sums[row * SIDE + output] = exactSum(start, activations, row * SIDE, weights);
      }
    }
    return sums;
  }

  private static int exactSum(int start, int[] activations, int from, int[] weights) {
    int sum = start;
    for (int place = 0; place < SIDE; place++) {
      sum = Math.addExact(sum, activations[from + place] * weights[place]);
    }
    return sum;
  }

  private MemorySegment square(Square kind, boolean extreme) {
    MemorySegment square = floats(kind.size / Float.BYTES, 1);
    int most =
        switch (kind) {
          case BYTES -> 63;
          case SHORTS -> Integer.MAX_VALUE / kind.mostUnsigned / SIDE;
          case FINE_BYTES -> 127;
        };
    int size = 4 / kind.inAnInt;
    for (int panel = 0; panel < kind.size; panel += kind.panel) {
      for (int i = 0; i < kind.starts; i += size) {
        int largest = i / 4 % 3 == 0 ? -most : most; // the sign depends on the output
        int weight = extreme ? largest : random.nextInt(-most, most + 1);
        if (kind.inAnInt == 4) {
          square.set(JAVA_BYTE, panel + i, (byte) weight);
        } else {
          square.set(JAVA_SHORT, panel + i, (short) weight);
        }
      }
      for (int i = kind.starts; i < kind.steps; i += 4) {
        int start = kind.inAnInt == 4 ? random.nextInt(-3_000_000, 3_000_000) : 0;
        square.set(JAVA_INT, panel + i, start);
      }
    }
    return square;
  }

  private void round(Square kind, int count) {
    MemorySegment rows = floats((count + 1) * SIDE, 1);
    float[] scales = {1, 0, 1e-35f, 1e30f};
    for (int i = 0; i < count * SIDE; i++) {
      float value = rows.getAtIndex(JAVA_FLOAT, i) * scales[(i / SIDE + count) % scales.length];
      rows.setAtIndex(JAVA_FLOAT, i, value);
    }
    float[] before = rows.toArray(JAVA_FLOAT);
    assertRounded(
        kind,
        rows,
        count,
        kind.mostSigned,
        kind.zero,
        (numbers, steps) -> KERNELS.get(kind).round(rows.address(), numbers, steps, count));
    assertSame(before, rows);
  }

  private void gelu(Square kind, int count) {
    MemorySegment rows = floats((count + 1) * SIDE, 2);
    for (int i = 0; i < SIDE; i++) {
      rows.setAtIndex(JAVA_FLOAT, i, count == 2 ? 0 : -30 + 60f * i / (SIDE - 1));
    }
    float[] before = rows.toArray(JAVA_FLOAT);
    MemorySegment factors = factors();
    assertRounded(
        kind,
        rows,
        count,
        kind.mostUnsigned,
        0,
        (numbers, steps) ->
            KERNELS.get(kind).gelu(rows.address(), numbers, steps, count, factors.address()));
    float[] after = rows.toArray(JAVA_FLOAT);
    for (int i = 0; i < before.length; i++) {
      double factor = factors.getAtIndex(JAVA_FLOAT, i % SIDE);
      double expected = i < count * SIDE ? (Scalars.gelu(before[i]) + 0.17) * factor : before[i];
      double error = 3e-7 * (1 + Math.abs(before[i])) * Math.max(1, factor);
      assertEquals(expected, after[i], error, "of " + before[i]);
    }
  }

  private void normalise(Square kind, int count) {
    MemorySegment sums = floats((count + 1) * SIDE, 3);
    MemorySegment states = floats((count + 1) * SIDE, 1);
    float[] scales = {0, 1e-6f}; // the first row is 0, the second is as small as epsilon
    for (int i = 0; i < 2 * SIDE; i++) {
      for (MemorySegment rows : List.of(sums, states)) {
        float value = rows.getAtIndex(JAVA_FLOAT, i) * scales[i / SIDE];
        rows.setAtIndex(JAVA_FLOAT, i, value);
      }
    }
    MemorySegment gain = floats(3 * SIDE, 1);
    MemorySegment factors = gain.asSlice(2 * EncoderWeights.ROW).copyFrom(factors());
    float[] sumsBefore = sums.toArray(JAVA_FLOAT);
    float[] expected = states.toArray(JAVA_FLOAT);
    assertRounded(
        kind,
        sums,
        count,
        kind.mostSigned,
        kind.zero,
        (numbers, steps) ->
            KERNELS
                .get(kind)
                .normalise(
                    sums.address(), numbers, steps, count, states.address(), gain.address()));
    for (int row = 0; row < count; row++) {
      double[] sum = new double[SIDE];
      for (int i = 0; i < SIDE; i++) {
        sum[i] = sumsBefore[row * SIDE + i] + expected[row * SIDE + i];
      }
      double[] normal = Scalars.normalise(sum, gain.toArray(JAVA_FLOAT));
      for (int i = 0; i < SIDE; i++) {
        expected[row * SIDE + i] = (float) normal[i];
      }
    }
    float[] actual = states.toArray(JAVA_FLOAT);
    assertArrayEquals(expected, actual, 5e-6f);
    digest(states);
    for (int i = 0; i < count * SIDE; i++) {
      sumsBefore[i] = actual[i] * factors.getAtIndex(JAVA_FLOAT, i % SIDE);
    }
    assertSame(sumsBefore, sums);
  }

  /**
   * Compares attention with a computation in doubles. Memory behind the tokens must not change the
   * result.
   */
  private void attention(int tokens) {
    for (int count : new int[] {1, tokens}) {
      float scale = count == 1 ? 0.5f : 8; // with 8, scores differ by hundreds
      int head = AttentionCode.HEAD * random.nextInt(SIDE / AttentionCode.HEAD);
      MemorySegment queries = floats(count * SIDE, scale);
      MemorySegment keys = floats(tokens * SIDE, 1);
      MemorySegment values = floats(tokens * SIDE, 1);
      float[] results = attend(queries, keys, values, head);
      assertArrayEquals(results, attend(queries, keys, values, head), "what lies behind");
      float[] expected = new float[results.length];
      double[][] x = doubles(queries);
      double[][] k = doubles(keys);
      double[][] v = doubles(values);
      for (int row = 0; row < count; row++) {
        double[] ofRow = new double[SIDE];
        Scalars.attend(x[row], k, v, head, Math.log(2), ofRow);
        for (int i = 0; i < SIDE; i++) {
          expected[row * SIDE + i] = (float) ofRow[i];
        }
      }
      assertArrayEquals(expected, results, 1e-5f * Math.max(1, scale));
    }
  }

  /**
   * Returns the results of a head. Each call fills the unused memory with other numbers, and
   * returns zeros at places where the kernel must not write.
   */
  private float[] attend(
      MemorySegment queries, MemorySegment keys, MemorySegment values, int head) {
    int count = (int) (queries.byteSize() / EncoderWeights.ROW);
    int tokens = (int) (keys.byteSize() / EncoderWeights.ROW);
    int used = Math.ceilDiv(count, AttentionCode.ROWS) * AttentionCode.ROWS;
    int wide = AttentionCode.WIDE_STRIDE / Float.BYTES;
    MemorySegment results = any((used + 1) * SIDE);
    float[] before = results.toArray(JAVA_FLOAT);
    KERNELS
        .get(Square.BYTES)
        .attend(
            behind(queries, used).address() + 4L * head,
            count,
            keys.address() + 4L * head,
            behind(values, tokens + 3).address() + 4L * head,
            tokens,
            any(AttentionCode.HEAD * wide).address(),
            MASK.of(tokens),
            any(used * wide).address(),
            results.address() + 4L * head);
    float[] after = results.toArray(JAVA_FLOAT);
    for (int i = 0; i < after.length; i++) {
      boolean ofHead = i % SIDE / AttentionCode.HEAD * AttentionCode.HEAD == head;
      if (!ofHead || i >= used * SIDE) {
        assertEquals(before[i], after[i], "written where it must not");
        after[i] = 0;
      }
    }
    float[] ofQueries = Arrays.copyOf(after, count * SIDE);
    digest(MemorySegment.ofArray(ofQueries));
    return ofQueries;
  }

  /** Returns the rows, followed by other rows of nearly the largest floats. */
  private MemorySegment behind(MemorySegment rows, int count) {
    byte all = (byte) random.nextInt(0x79, 0x7F);
    return arena.allocate((long) count * EncoderWeights.ROW, 64).fill(all).copyFrom(rows);
  }

  /** Returns a factor for each column; some factors are 1, so that some values do not change. */
  private MemorySegment factors() {
    MemorySegment factors = floats(SIDE, 1);
    for (int i = 0; i < SIDE; i++) {
      factors.setAtIndex(JAVA_FLOAT, i, i % 3 == 0 ? 1 : random.nextFloat(0.1f, 5));
    }
    return factors;
  }

  private static double[][] doubles(MemorySegment rows) {
    float[] values = rows.toArray(JAVA_FLOAT);
    double[][] doubles = new double[values.length / SIDE][SIDE];
    for (int i = 0; i < values.length; i++) {
      doubles[i / SIDE][i % SIDE] = values[i];
    }
    return doubles;
  }

  private interface Rounding {
    void to(long numbers, long steps);
  }

  /** Checks all bits of the rounded numbers and steps of rows. */
  private void assertRounded(
      Square kind, MemorySegment rows, int count, float most, int zero, Rounding rounding) {
    MemorySegment numbers = bytes((count + 1) * kind.row);
    MemorySegment steps = floats(count + 1, 1);
    byte[] behind = numbers.asSlice((long) count * kind.row).toArray(JAVA_BYTE);
    float[] expectedSteps = steps.toArray(JAVA_FLOAT);
    rounding.to(numbers.address(), steps.address());
    ByteBuffer rounded = numbers.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    for (int row = 0; row < count; row++) {
      float largest = 1e-30f;
      for (int i = 0; i < SIDE; i++) {
        largest = Math.max(largest, Math.abs(rows.getAtIndex(JAVA_FLOAT, row * SIDE + i)));
      }
      expectedSteps[row] = largest * (1 / most);
      for (int place = 0; place < SIDE; place++) {
        double value = rows.getAtIndex(JAVA_FLOAT, row * SIDE + kind.input(place));
        int number = Scalars.activation(kind, rounded, row * kind.row, place);
        assertEquals((int) Math.rint(value * (most / largest)) + zero, number);
      }
    }
    assertSame(expectedSteps, steps);
    assertArrayEquals(behind, numbers.asSlice((long) count * kind.row).toArray(JAVA_BYTE));
    digest(rows);
    digest(numbers);
  }

  private void assertSame(float[] expected, MemorySegment actual) {
    assertArrayEquals(expected, actual.toArray(JAVA_FLOAT));
    digest(actual);
  }

  private void digest(MemorySegment results) {
    digest.update(results.toArray(JAVA_BYTE));
  }

  private MemorySegment bytes(int count) {
    MemorySegment bytes = arena.allocate(count, 64);
    for (int i = 0; i < count; i++) {
      bytes.set(JAVA_BYTE, i, (byte) random.nextInt(256));
    }
    return bytes;
  }

  /** Returns finite floats that are larger than any result. */
  private MemorySegment any(int count) {
    return arena.allocate(4L * count, 64).fill((byte) random.nextInt(0x42, 0x50));
  }

  private MemorySegment floats(int count, float scale) {
    MemorySegment floats = arena.allocate(4L * count, 64);
    for (int i = 0; i < count; i++) {
      floats.setAtIndex(JAVA_FLOAT, i, scale * (float) random.nextGaussian());
    }
    return floats;
  }
}
