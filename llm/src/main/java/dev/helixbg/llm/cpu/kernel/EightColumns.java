package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Eight columns of a tile to rows of tokens, sixteen tokens at a time: what a panel of eight rows
 * gives goes to its places. 512 bits.
 *
 * <p>Three rounds of eight selections transpose 8 × 16 numbers; number by number it took a tenth of
 * a prompt's time.
 */
final class EightColumns {
  private static final int TOKENS = 16;
  private static final int COLUMNS = 8;

  /** Bytes of scratch memory. */
  static final int SCRATCH = 4 * TOKENS * COLUMNS;

  // Two vectors of groups of 1, 2 and 4 numbers, to groups of twice as many: those of the first
  // half of the tokens, and of the second.
  private static final IntVector ONES = interleaving(1, 0);
  private static final IntVector ONES_2 = interleaving(1, 1);
  private static final IntVector TWOS = interleaving(2, 0);
  private static final IntVector TWOS_2 = interleaving(2, 1);
  private static final IntVector FOURS = interleaving(4, 0);
  private static final IntVector FOURS_2 = interleaving(4, 1);

  private EightColumns() {}

  private static IntVector interleaving(int group, int half) {
    int[] places = new int[TOKENS];
    for (int i = 0; i < TOKENS; i++) {
      int place = i / (2 * group) * group + i % group + TOKENS / 2 * half;
      places[i] = i / group % 2 == 0 ? place : TOKENS + place;
    }
    return IntVector.fromArray(INTS, places, 0);
  }

  /**
   * {@code rows[t][k] = tile[k][t]} for eight k and {@code tokens} t.
   *
   * @param width bytes from one column of the tile to the next
   * @param stride bytes from one token's row to the next
   * @param scratch {@link #SCRATCH} bytes
   */
  static void write(long tile, long width, int tokens, long rows, long stride, long scratch) {
    for (int first = 0; first < tokens; first += TOKENS) {
      transpose(tile + 4L * first, width, scratch);
      copy(scratch, Math.min(TOKENS, tokens - first), rows + first * stride, stride);
    }
  }

  /** As {@link #write}, adding to the rows. */
  static void add(long tile, long width, int tokens, long rows, long stride, long scratch) {
    for (int first = 0; first < tokens; first += TOKENS) {
      transpose(tile + 4L * first, width, scratch);
      addCopy(scratch, Math.min(TOKENS, tokens - first), rows + first * stride, stride);
    }
  }

  private static void copy(long eights, int tokens, long rows, long stride) {
    for (int t = 0; t < tokens; t++) {
      FloatVector.fromMemorySegment(FloatVector.SPECIES_256, MEMORY, eights + 32L * t, ORDER)
          .intoMemorySegment(MEMORY, rows + t * stride, ORDER);
    }
  }

  private static void addCopy(long eights, int tokens, long rows, long stride) {
    for (int t = 0; t < tokens; t++) {
      long to = rows + t * stride;
      FloatVector.fromMemorySegment(FloatVector.SPECIES_256, MEMORY, to, ORDER)
          .add(
              FloatVector.fromMemorySegment(
                  FloatVector.SPECIES_256, MEMORY, eights + 32L * t, ORDER))
          .intoMemorySegment(MEMORY, to, ORDER);
    }
  }

  /** Sixteen tokens of eight columns to 16 × 8 numbers. */
  private static void transpose(long from, long width, long to) {
    IntVector a = IntVector.fromMemorySegment(INTS, MEMORY, from, ORDER);
    IntVector b = IntVector.fromMemorySegment(INTS, MEMORY, from + width, ORDER);
    IntVector c = IntVector.fromMemorySegment(INTS, MEMORY, from + 2 * width, ORDER);
    IntVector d = IntVector.fromMemorySegment(INTS, MEMORY, from + 3 * width, ORDER);
    IntVector e = IntVector.fromMemorySegment(INTS, MEMORY, from + 4 * width, ORDER);
    IntVector f = IntVector.fromMemorySegment(INTS, MEMORY, from + 5 * width, ORDER);
    IntVector g = IntVector.fromMemorySegment(INTS, MEMORY, from + 6 * width, ORDER);
    IntVector h = IntVector.fromMemorySegment(INTS, MEMORY, from + 7 * width, ORDER);

    IntVector ab = ONES.selectFrom(a, b);
    IntVector ab2 = ONES_2.selectFrom(a, b);
    IntVector cd = ONES.selectFrom(c, d);
    IntVector cd2 = ONES_2.selectFrom(c, d);
    IntVector ef = ONES.selectFrom(e, f);
    IntVector ef2 = ONES_2.selectFrom(e, f);
    IntVector gh = ONES.selectFrom(g, h);
    IntVector gh2 = ONES_2.selectFrom(g, h);

    IntVector abcd = TWOS.selectFrom(ab, cd);
    IntVector abcd2 = TWOS_2.selectFrom(ab, cd);
    IntVector abcd3 = TWOS.selectFrom(ab2, cd2);
    IntVector abcd4 = TWOS_2.selectFrom(ab2, cd2);
    IntVector efgh = TWOS.selectFrom(ef, gh);
    IntVector efgh2 = TWOS_2.selectFrom(ef, gh);
    IntVector efgh3 = TWOS.selectFrom(ef2, gh2);
    IntVector efgh4 = TWOS_2.selectFrom(ef2, gh2);

    FOURS.selectFrom(abcd, efgh).intoMemorySegment(MEMORY, to, ORDER);
    FOURS_2.selectFrom(abcd, efgh).intoMemorySegment(MEMORY, to + 64, ORDER);
    FOURS.selectFrom(abcd2, efgh2).intoMemorySegment(MEMORY, to + 128, ORDER);
    FOURS_2.selectFrom(abcd2, efgh2).intoMemorySegment(MEMORY, to + 192, ORDER);
    FOURS.selectFrom(abcd3, efgh3).intoMemorySegment(MEMORY, to + 256, ORDER);
    FOURS_2.selectFrom(abcd3, efgh3).intoMemorySegment(MEMORY, to + 320, ORDER);
    FOURS.selectFrom(abcd4, efgh4).intoMemorySegment(MEMORY, to + 384, ORDER);
    FOURS_2.selectFrom(abcd4, efgh4).intoMemorySegment(MEMORY, to + 448, ORDER);
  }
}
