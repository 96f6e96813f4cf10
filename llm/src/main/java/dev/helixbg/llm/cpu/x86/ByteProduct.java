package dev.helixbg.llm.cpu.x86;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.kernel.tile.ByteTiles;
import dev.helixbg.llm.cpu.lanes.Lanes;

/**
 * Multiplies {@link ByteRows} with {@link ByteTiles}, by instructions that multiply bytes. A VNNI
 * instruction adds four products to an int; an AVX2 instruction adds up two products, which yields
 * a short.
 */
public final class ByteProduct {
  /** Unit of allocation: weights and sums must have room for a multiple of this number of rows. */
  public static final int ROWS = ByteProductCode.SUM_VECTORS;

  private static final boolean VNNI =
      switch (Lanes.COUNT) {
        case 16 -> MachineCode.runs("avx512_vnni");
        case 8 -> MachineCode.runs("avx_vnni");
        default -> false;
      };

  /**
   * Whether {@link ByteRows} and {@link ByteTiles} must be made for AVX2, which adds products in
   * pairs (see {@link ByteRows}).
   */
  public static final boolean PAIRS = Lanes.COUNT == 8 && !VNNI && MachineCode.runs("avx2");

  /** Whether the processor can multiply bytes in vectors, and the system allows machine code. */
  public static final boolean AVAILABLE = Lanes.MACHINE_CODE && (VNNI || PAIRS);

  private static final NativeFunction WHOLE = function(false, 2);
  private static final NativeFunction WHOLE_OF_ONE = function(false, 1);
  private static final NativeFunction HALVES = function(true, 2);
  private static final NativeFunction HALVES_OF_ONE = function(true, 1);

  public static final String INSTRUCTIONS = !AVAILABLE ? "none" : PAIRS ? "AVX2" : "VNNI";

  private ByteProduct() {}

  private static NativeFunction function(boolean halves, int vectors) {
    return AVAILABLE
        ? MachineCode.function(new ByteProductCode(PAIRS, halves, vectors).code()).orElseThrow()
        : null;
  }

  /**
   * Computes {@code sums[r][t] += Σ W[r][k] · x[k][t]}.
   *
   * @param rows number of rows in {@link ByteRows}, at least 1; the machine code can also read and
   *     write later rows, up to the next multiple of {@link #ROWS}
   * @param halves whether every 16 columns have a scale
   * @param columns number of columns, a multiple of 32 from 32 to {@link ByteTiles#COLUMNS}
   * @param tokens number of tokens whose sums are needed; if they fit one vector, the product costs
   *     half as much
   * @param sums {@link ByteTiles#TOKENS} floats for each row
   */
  public static void multiply(
      long weights, int rows, boolean halves, int columns, long tile, int tokens, long sums) {
    boolean one = tokens <= Lanes.COUNT;
    NativeFunction product = halves ? (one ? HALVES_OF_ONE : HALVES) : (one ? WHOLE_OF_ONE : WHOLE);
    int panels = Math.ceilDiv(rows, one ? ROWS : ROWS / 2);
    product.call(weights, tile, sums, panels, columns / ByteTiles.SUB, 0, 0, 0);
  }
}
