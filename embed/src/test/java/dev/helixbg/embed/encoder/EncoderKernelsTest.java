package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.BIASES;
import static dev.helixbg.embed.encoder.Square.LINE;
import static dev.helixbg.embed.encoder.Square.PANEL;
import static dev.helixbg.embed.encoder.Square.PANEL_BYTES;
import static dev.helixbg.embed.encoder.Square.SIDE;
import static dev.helixbg.embed.encoder.Square.STARTS;
import static dev.helixbg.embed.encoder.Square.STEPS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.embed.OtherJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernels beside scalars: to the bit where the order of what is added does not matter, else
 * within what a float can hold. Memory behind what a kernel may write must stay as it is.
 */
class EncoderKernelsTest {
  private static final String NONE = "none";
  private static final EncoderKernels KERNELS =
      Encoder.isAvailable() ? EncoderKernels.ofThisMachine() : null;
  private static final Mask MASK = new Mask(Arena.global());
  private static final int[] PRODUCT_ROWS = {1, 5, 6, 7, 12, 13, 96};
  private static final int[] ROWS = {1, 2, 7};
  private static final int[] TOKENS = {1, 2, 5, 6, 7, 8, 31, 32, 33, 77, 128, 500, 512};

  private final SplittableRandom random = new SplittableRandom(6);
  private final Arena arena = Arena.ofAuto();

  /** Of all results. */
  private final CRC32C digest = new CRC32C();

  @BeforeEach
  void hasInstructions() {
    assumeTrue(KERNELS != null, "no processor that multiplies bytes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Dhelixbg.machine.code=avx2",
        "-Dhelixbg.machine.code=avx_vnni",
        "-Dhelixbg.vector.bits=256"
      })
  void otherInstructionsGiveTheSameBits(String option) throws Exception {
    String printed = OtherJvm.run(option, EncoderKernelsTest.class);
    assumeFalse(printed.equals(NONE), "no such instructions");
    assertEquals(digest(), printed);
  }

  /** What they come to on every processor, those too that are not at hand where this runs. */
  @Test
  void everyProcessorGivesTheSameBits() {
    assertEquals("1b33bcaf", digest());
  }

  /** All tests in a JVM with other instructions: prints what their results come to. */
  public static void main(String[] arguments) {
    System.out.print(KERNELS == null ? NONE : digest());
  }

  private static String digest() {
    EncoderKernelsTest test = new EncoderKernelsTest();
    Arrays.stream(PRODUCT_ROWS).forEach(test::productsAreExact);
    Arrays.stream(ROWS).forEach(test::rowsAreRoundedByTheirLargestMagnitude);
    Arrays.stream(ROWS).forEach(test::geluIsThatOfDoubles);
    Arrays.stream(ROWS).forEach(test::normalisationIsThatOfDoubles);
    Arrays.stream(TOKENS).forEach(test::attentionIsThatOfDoublesWhateverLiesBehind);
    return Long.toHexString(test.digest.getValue());
  }

  static int[] productRows() {
    return PRODUCT_ROWS;
  }

  static int[] rows() {
    return ROWS;
  }

  static int[] tokens() {
    return TOKENS;
  }

  @ParameterizedTest
  @MethodSource("productRows")
  void productsAreExact(int rows) {
    product(rows, false);
    product(rows, true);
  }

  /**
   * @param extreme whether sums of bytes are as large as can be
   */
  private void product(int rows, boolean extreme) {
    int used = Math.ceilDiv(rows, SquareCode.ROWS) * SquareCode.ROWS;
    MemorySegment bytes = bytes(used * SIDE);
    MemorySegment square = square(extreme);
    if (extreme) {
      bytes.fill((byte) 255);
    }
    MemorySegment steps = floats(used, 1);
    MemorySegment sums = floats((used + 1) * SIDE, 1);
    float[] expected = sums.toArray(JAVA_FLOAT);
    byte[] x = bytes.toArray(JAVA_BYTE);
    byte[] weights = square.toArray(JAVA_BYTE);
    for (boolean adds : new boolean[] {false, true}) {
      KERNELS.product(
          bytes.address(), steps.address(), square.address(), sums.address(), rows, adds);
      for (int i = 0; i < used * SIDE; i++) {
        int panel = i % SIDE / PANEL * PANEL_BYTES;
        int lane = 4 * (i % PANEL);
        int sum = square.get(JAVA_INT, panel + STARTS + lane);
        for (int place = 0; place < SIDE; place++) {
          int weight = weights[panel + place / 4 * LINE + lane + place % 4];
          sum += Byte.toUnsignedInt(x[i / SIDE * SIDE + place]) * weight;
        }
        float before = adds ? expected[i] : square.get(JAVA_FLOAT, panel + BIASES + lane);
        float product = sum * square.get(JAVA_FLOAT, panel + STEPS + lane);
        expected[i] = Math.fma(steps.getAtIndex(JAVA_FLOAT, i / SIDE), product, before);
      }
      assertSame(expected, sums);
    }
  }

  private MemorySegment square(boolean extreme) {
    MemorySegment square = floats(Square.BYTES / Float.BYTES, 1);
    for (int panel = 0; panel < Square.BYTES; panel += PANEL_BYTES) {
      for (int i = 0; i < STARTS; i++) {
        int largest = i / 4 % 3 == 0 ? -63 : 63; // of an output
        square.set(JAVA_BYTE, panel + i, (byte) (extreme ? largest : random.nextInt(-63, 64)));
      }
      for (int i = STARTS; i < STEPS; i += 4) {
        square.set(JAVA_INT, panel + i, random.nextInt(-3_000_000, 3_000_000));
      }
    }
    return square;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void rowsAreRoundedByTheirLargestMagnitude(int count) {
    MemorySegment rows = floats((count + 1) * SIDE, 1);
    float[] scales = {1, 0, 1e-35f, 1e30f};
    for (int i = 0; i < count * SIDE; i++) {
      float value = rows.getAtIndex(JAVA_FLOAT, i) * scales[(i / SIDE + count) % scales.length];
      rows.setAtIndex(JAVA_FLOAT, i, value);
    }
    float[] before = rows.toArray(JAVA_FLOAT);
    assertRounded(
        rows,
        count,
        127,
        128,
        (bytes, steps) -> KERNELS.round(rows.address(), bytes, steps, count));
    assertSame(before, rows);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void geluIsThatOfDoubles(int count) {
    MemorySegment rows = floats((count + 1) * SIDE, 2);
    for (int i = 0; i < SIDE; i++) {
      rows.setAtIndex(JAVA_FLOAT, i, count == 2 ? 0 : -30 + 60f * i / (SIDE - 1));
    }
    float[] before = rows.toArray(JAVA_FLOAT);
    assertRounded(
        rows, count, 255, 0, (bytes, steps) -> KERNELS.gelu(rows.address(), bytes, steps, count));
    float[] after = rows.toArray(JAVA_FLOAT);
    for (int i = 0; i < before.length; i++) {
      double expected = i < count * SIDE ? Scalars.gelu(before[i]) + 0.17 : before[i];
      assertEquals(expected, after[i], 3e-7 * (1 + Math.abs(before[i])), "of " + before[i]);
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void normalisationIsThatOfDoubles(int count) {
    MemorySegment sums = floats((count + 1) * SIDE, 3);
    MemorySegment states = floats((count + 1) * SIDE, 1);
    float[] scales = {0, 1e-6f}; // of the first rows: nothing, and as little as epsilon
    for (int i = 0; i < 2 * SIDE; i++) {
      for (MemorySegment rows : List.of(sums, states)) {
        float value = rows.getAtIndex(JAVA_FLOAT, i) * scales[i / SIDE];
        rows.setAtIndex(JAVA_FLOAT, i, value);
      }
    }
    MemorySegment gain = floats(2 * SIDE, 1);
    float[] sumsBefore = sums.toArray(JAVA_FLOAT);
    float[] expected = states.toArray(JAVA_FLOAT);
    assertRounded(
        states,
        count,
        127,
        128,
        (bytes, steps) ->
            KERNELS.normalise(
                sums.address(), bytes, steps, count, states.address(), gain.address()));
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
    assertArrayEquals(expected, states.toArray(JAVA_FLOAT), 5e-6f);
    assertSame(sumsBefore, sums);
  }

  @ParameterizedTest
  @MethodSource("tokens")
  void attentionIsThatOfDoublesWhateverLiesBehind(int tokens) {
    for (int count : new int[] {1, tokens}) {
      float scale = count == 1 ? 0.5f : 8; // of queries: scores differ by hundreds
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
   * A head's results, with other numbers in all memory that may be used and means nothing; zeros
   * where no results belong.
   */
  private float[] attend(
      MemorySegment queries, MemorySegment keys, MemorySegment values, int head) {
    int count = (int) (queries.byteSize() / EncoderWeights.ROW);
    int tokens = (int) (keys.byteSize() / EncoderWeights.ROW);
    int used = Math.ceilDiv(count, AttentionCode.ROWS) * AttentionCode.ROWS;
    int wide = AttentionCode.WIDE_STRIDE / Float.BYTES;
    MemorySegment results = any((used + 1) * SIDE);
    float[] before = results.toArray(JAVA_FLOAT);
    KERNELS.attend(
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

  /** The same rows, and behind them others of the largest floats there are, nearly. */
  private MemorySegment behind(MemorySegment rows, int count) {
    byte all = (byte) random.nextInt(0x79, 0x7F);
    return arena.allocate((long) count * EncoderWeights.ROW, 64).fill(all).copyFrom(rows);
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
    void to(long bytes, long steps);
  }

  /** What rounding makes of rows, whose numbers may change before, to the bit. */
  private void assertRounded(
      MemorySegment rows, int count, float most, int zero, Rounding rounding) {
    MemorySegment bytes = bytes((count + 1) * SIDE);
    MemorySegment steps = floats(count + 1, 1);
    byte[] expected = bytes.toArray(JAVA_BYTE);
    float[] expectedSteps = steps.toArray(JAVA_FLOAT);
    rounding.to(bytes.address(), steps.address());
    for (int row = 0; row < count; row++) {
      float largest = 1e-30f;
      for (int i = 0; i < SIDE; i++) {
        largest = Math.max(largest, Math.abs(rows.getAtIndex(JAVA_FLOAT, row * SIDE + i)));
      }
      expectedSteps[row] = largest * (1 / most);
      for (int place = 0; place < SIDE; place++) {
        double value = rows.getAtIndex(JAVA_FLOAT, row * SIDE + Square.input(place));
        expected[row * SIDE + place] = (byte) (Math.rint(value * (most / largest)) + zero);
      }
    }
    assertSame(expectedSteps, steps);
    assertArrayEquals(expected, bytes.toArray(JAVA_BYTE));
    digest(rows);
    digest(bytes);
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

  /** Floats that are finite, and larger than what is computed. */
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
