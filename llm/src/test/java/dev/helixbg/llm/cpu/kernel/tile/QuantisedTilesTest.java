package dev.helixbg.llm.cpu.kernel.tile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.cpu.ForkedJvm;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The integer product of Q4_K against the same rounding spelled out in scalars. */
class QuantisedTilesTest {
  private static final int COLUMNS = 512;
  private static final int SUB = 32;
  private static final int STRIDE = 528;

  private final SplittableRandom random = new SplittableRandom(3);

  @ParameterizedTest
  @ValueSource(ints = {128, 256})
  void productsEqualThoseOfTheRoundedActivations(int bits) throws Exception {
    String printed =
        ForkedJvm.run(
            Redirect.INHERIT, List.of("-Dhelixbg.vector.bits=" + bits), QuantisedTilesTest.class);
    assertEquals("tiles of " + bits / 8 + " tokens", printed.strip());
  }

  /** The same in a JVM with other vectors. */
  public static void main(String[] arguments) {
    new QuantisedTilesTest().compareAll();
    System.out.println("tiles of " + QuantisedTiles.TOKENS + " tokens");
  }

  private void compareAll() {
    int half = QuantisedTiles.HALF;
    for (int tokens : new int[] {1, 2, 3, half - 1, half, half + 1, 2 * half - 1, 2 * half}) {
      for (int rows : new int[] {1, 5, 8}) {
        try (Arena arena = Arena.ofConfined()) {
          compare(arena, rows, tokens);
        }
      }
    }
  }

  private void compare(Arena arena, int rows, int tokens) {
    long rowBytes = TensorType.Q4_K.bytes(COLUMNS);
    MemorySegment weights = arena.allocate(rows * rowBytes, 64);
    RandomWeights.fill(TensorType.Q4_K, weights, 0, (long) rows * COLUMNS, 0.04f, random);
    MemorySegment x = arena.allocate(4L * STRIDE * tokens, 64);
    for (int t = 0; t < tokens; t++) {
      for (int k = 0; k < COLUMNS; k++) {
        // A token of zeros, and one column that outgrows the others.
        double value = t == 1 ? 0 : random.nextGaussian() * (k == 40 ? 100 : 1);
        x.setAtIndex(ValueLayout.JAVA_FLOAT, (long) t * STRIDE + k, (float) value);
      }
    }
    float[] sums = product(arena, weights, rowBytes, rows, x, tokens);
    float[] row = new float[COLUMNS];
    for (int r = 0; r < rows; r++) {
      Dequantize.row(TensorType.Q4_K, weights, r * rowBytes, COLUMNS, row, 0);
      for (int t = 0; t < tokens; t++) {
        double expected = 0;
        double size = 0;
        for (int sub = 0; sub < COLUMNS / SUB; sub++) {
          double product = product(row, x, t, sub, weights, r * rowBytes);
          expected += product;
          size += Math.abs(product);
        }
        assertEquals(expected, sums[r * QuantisedTiles.TOKENS + t], 1e-5 * size + 1e-6);
      }
    }
  }

  private static float[] product(
      Arena arena, MemorySegment weights, long rowBytes, int rows, MemorySegment x, int tokens) {
    MemorySegment tile = arena.allocate(QuantisedTiles.TILE_BYTES, 64);
    MemorySegment scratch = arena.allocate(4L * QuantisedTiles.SCRATCH, 64);
    MemorySegment panel = arena.allocate(Q4KPanel.PANEL_BYTES, 64);
    MemorySegment products = arena.allocate(Q4KTileProduct.SCRATCH, 64);
    MemorySegment sums = arena.allocate(4L * Q4KPanel.ROWS * QuantisedTiles.TOKENS, 64);
    tile.fill((byte) 0x7F);
    sums.fill((byte) 0x7F);
    for (int block = 0; block < COLUMNS / QuantisedTiles.COLUMNS; block++) {
      long columns = x.address() + 4L * QuantisedTiles.COLUMNS * block;
      QuantisedTiles.pack(columns, 4L * STRIDE, tokens, tile.address(), scratch.address());
      long first = weights.address() + TensorType.Q4_K.bytes((long) block * 256);
      Q4KPanel.unpack(first, rowBytes, rows, panel.address());
      Q4KTileProduct.multiply(
          panel.address(), tile.address(), tokens, block == 0, sums.address(), products.address());
    }
    return sums.toArray(ValueLayout.JAVA_FLOAT);
  }

  /**
   * Of one sub-block: {@code w = scale · (q − 8) + offset}, the first part times the rounded
   * activations, the second times their exact sum. Two weights tell scale and offset apart.
   */
  private static double product(
      float[] row, MemorySegment x, int t, int sub, MemorySegment weights, long rowAt) {
    double largest = 0;
    double sum = 0;
    for (int k = sub * SUB; k < (sub + 1) * SUB; k++) {
      float value = x.getAtIndex(ValueLayout.JAVA_FLOAT, (long) t * STRIDE + k);
      largest = Math.max(largest, Math.abs(value));
      sum += value;
    }
    float inverse = largest == 0 ? 0 : 127 / (float) largest;
    double offset = 0;
    double rounded = 0;
    for (int k = sub * SUB; k < (sub + 1) * SUB; k++) {
      int quantum = quantum(weights, rowAt, k);
      offset = row[k] - quantum * scale(row, weights, rowAt, sub);
      float value = x.getAtIndex(ValueLayout.JAVA_FLOAT, (long) t * STRIDE + k);
      rounded += quantum * scale(row, weights, rowAt, sub) * Math.rint((double) inverse * value);
    }
    return rounded * ((float) largest / 127) + offset * sum;
  }

  /** From the two weights of a sub-block that differ most. */
  private static double scale(float[] row, MemorySegment weights, long rowAt, int sub) {
    int low = sub * SUB;
    int high = low;
    for (int k = low; k < (sub + 1) * SUB; k++) {
      low = quantum(weights, rowAt, k) < quantum(weights, rowAt, low) ? k : low;
      high = quantum(weights, rowAt, k) > quantum(weights, rowAt, high) ? k : high;
    }
    int apart = quantum(weights, rowAt, high) - quantum(weights, rowAt, low);
    return ((double) row[high] - row[low]) / apart;
  }

  /** The stored nibble, less 8. */
  private static int quantum(MemorySegment weights, long rowAt, int k) {
    int sub = k % 256 / SUB;
    long at = rowAt + k / 256 * 144L + 16 + sub / 2 * 32 + k % SUB;
    int both = weights.get(ValueLayout.JAVA_BYTE, at);
    return (sub % 2 == 0 ? both & 15 : both >>> 4 & 15) - 8;
  }
}
