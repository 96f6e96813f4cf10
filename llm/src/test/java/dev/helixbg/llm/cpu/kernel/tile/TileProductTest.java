package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.row.KernelProbe.gaussian;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.ROOM;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.STRIDE;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares products of panels and tiles of any size with scalar code. */
class TileProductTest {
  @ParameterizedTest
  @CsvSource({"1, 1", "5, 3", "6, 128", "7, 31", "8, 512", "13, 257", "16, 64", "24, 1024"})
  void sumsAreThoseOfScalarCodeWhateverIsAskedFor(int rows, int depth) {
    SplittableRandom random = new SplittableRandom(rows * 31L + depth);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment panel = gaussian(arena, random, ROOM * STRIDE);
      MemorySegment x = gaussian(arena, random, depth * TOKENS);
      for (int tokens : new int[] {1, TOKENS / 2, TOKENS / 2 + 1, TOKENS}) {
        for (boolean first : new boolean[] {true, false}) {
          MemorySegment sums = gaussian(arena, random, ROOM * TOKENS);
          float[] before = sums.toArray(ValueLayout.JAVA_FLOAT);
          TileProduct.multiply(
              panel.address(), rows, depth, x.address(), tokens, first, sums.address());
          assertSums(panel, rows, depth, x, tokens, first ? null : before, sums);
        }
      }
    }
  }

  private static void assertSums(
      MemorySegment panel,
      int rows,
      int depth,
      MemorySegment x,
      int tokens,
      float[] before,
      MemorySegment sums) {
    for (int r = 0; r < rows; r++) {
      for (int t = 0; t < tokens; t++) {
        float wanted = before == null ? 0 : before[r * TOKENS + t];
        for (int k = 0; k < depth; k++) {
          wanted = Math.fma(at(panel, r * STRIDE + k), at(x, k * TOKENS + t), wanted);
        }
        assertEquals(wanted, at(sums, r * TOKENS + t), "row " + r + ", token " + t);
      }
    }
  }

  private static float at(MemorySegment floats, int i) {
    return floats.getAtIndex(ValueLayout.JAVA_FLOAT, i);
  }
}
